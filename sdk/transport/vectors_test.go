package transport_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// suite is one table of facts about how retrying behaves elsewhere. Every fact
// is either run against this SDK or decided differently, with the reason.
type suite struct {
	t              *testing.T
	ran, different int
}

// run checks a fact that holds here too.
func (s *suite) run(name string, f func(t *testing.T)) {
	s.ran++
	s.t.Run(name, f)
}

// differ checks what happens here where another rule holds there.
func (s *suite) differ(name, reason string, f func(t *testing.T)) {
	s.different++
	s.t.Run(name, func(t *testing.T) {
		t.Log("decided differently: " + reason)
		f(t)
	})
}

// vectors are the suites by the name of the facts' collection.
var vectors = map[string]func(s *suite){
	"standard-2.1":                  vectorsStandard21,
	"standard-2.1-go-extra":         vectorsStandard21Extra,
	"costs-2.1":                     vectorsCosts,
	"backoff-2.1":                   vectorsBackoff21,
	"retry-after-2.1":               vectorsRetryAfter21,
	"mixed-timings":                 vectorsMixed,
	"standard-2.0":                  vectorsStandard20,
	"standard-2.0-go":               vectorsStandard20Go,
	"classification":                vectorsClassification,
	"clock-skew":                    vectorsClockSkew,
	"adaptive-cubic":                vectorsCubic,
	"loop-behaviour":                vectorsLoop,
	"grpc-throttling":               vectorsGRPCThrottling,
	"grpc-unary":                    vectorsGRPCUnary,
	"grpc-pushback-and-commit":      vectorsGRPCPushback,
	"grpc-max-attempts":             vectorsGRPCMaxAttempts,
	"grpc-config-validation":        vectorsGRPCConfig,
	"gcs-storage-retry-conformance": vectorsGCS,
	"finagle-retry-budget":          vectorsFinagle,
	"tower-linkerd-tps-budget":      vectorsTower,
	"envoy-retry-budget":            vectorsEnvoy,
	"failsafe-go":                   vectorsFailsafe,
	"azcore":                        vectorsAzcore,
	"stripe-go-shouldRetry":         vectorsStripe,
	"openai-python-retry-after":     vectorsOpenAI,
	"urllib3-retry-after":           vectorsURLLib3,
	"smithy-ts-retry-after":         vectorsSmithy,
	"go-retryablehttp-retry-after":  vectorsRetryableHTTP,
	"polly-delays":                  vectorsPolly,
	"resilience4j-intervals":        vectorsResilience4j,
	"tenacity-waits":                vectorsTenacity,
	"idempotency-key-draft":         vectorsKeyDraft,
	"ratelimit-headers-draft":       vectorsRateLimitDraft,
}

// TestVectors runs every suite and, where the collection is at hand, checks
// that no case of it was passed over.
func TestVectors(t *testing.T) {
	t.Parallel()

	total := suite{}
	counts := make(map[string]int, len(vectors))
	lines := make([]string, 0, len(vectors))

	for name, run := range vectors {
		s := &suite{}

		t.Run(name, func(t *testing.T) {
			s.t = t
			run(s)
		})

		counts[name] = s.ran + s.different
		total.ran += s.ran
		total.different += s.different

		lines = append(lines, fmt.Sprintf("%-30s run %3d, decided differently %2d", name, s.ran, s.different))
	}

	slices.Sort(lines)
	t.Logf("%d suites, %d cases run, %d decided differently\n%s", len(vectors), total.ran, total.different, strings.Join(lines, "\n"))

	compareWithCollection(t, counts)
}

func compareWithCollection(t *testing.T, counts map[string]int) {
	t.Helper()

	dir := collection()
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("the collection of vectors is not there: " + err.Error())
		}

		t.Log("the collection of vectors is not there; its cases are not counted")

		return
	}

	known := 0

	for _, file := range []string{"aws.json", "other.json"} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}

		var all struct {
			Suites []struct {
				Suite string            `json:"suite"`
				Cases []json.RawMessage `json:"cases"`
				Rows  []json.RawMessage `json:"rows"`
				Tests []json.RawMessage `json:"tests"`
			} `json:"suites"`
		}
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}

		for _, s := range all.Suites {
			known++

			have, ok := counts[s.Suite]
			if !ok {
				t.Errorf("suite %s is not answered", s.Suite)
			}

			if want := len(s.Cases) + len(s.Rows) + len(s.Tests); have < want {
				t.Errorf("suite %s: %d of %d cases answered", s.Suite, have, want)
			}
		}
	}

	check(t, "suites", len(counts), known)
}

// collection is the folder beside the repository.
func collection() string {
	dir, _ := os.Getwd()
	for dir != filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return filepath.Join(dir, "..", "shared", "vectors")
		}

		dir = filepath.Dir(dir)
	}

	return "no go.work above"
}
