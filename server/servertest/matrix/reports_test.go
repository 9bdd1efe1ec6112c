package matrix_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retrysafe/retrysafe/conformance"
	"github.com/retrysafe/retrysafe/server/storetest"
)

// reports are public bug reports about servers of this kind, and what here would fail with the same fault.
var reports = []struct {
	where, fault string
	cases        []string // of package conformance, run on every store by TestMatrix
	suite        []string // of package storetest
	tests        []string // of this module and of M/server
}{
	{"paveg/hono-idempotency#126", "no caller in the key", []string{"IK-060"}, nil, nil},
	{"arun0009/idempotent#217", "no caller in the key", []string{"IK-060", "IK-061"}, nil, nil},
	{"Tr3kkR/Yuzu#3586", "a caller can block the keys of others", []string{"IK-061"}, nil, nil},
	{"VilledeMontreal/express-idempotency#32", "a crash leaves the key in flight for days", []string{"IK-080"}, nil, []string{"TestCrashFreesTheKey"}},
	{"hyperb1iss/sibyl#349", "a crash leaves the key pending for ever", []string{"IK-080", "IK-084"}, nil, nil},
	{"ikyriak/IdempotentAPI#37", "409 after a crash until the record expires", []string{"IK-080"}, nil, nil},
	{
		"pathosDev/actor-ts#984", "one time to live for lock and record; a throw after the effect runs it again",
		[]string{"IK-073", "IK-091"},
		[]string{"only a resumable request with the same payload takes over"},
		nil,
	},
	{"pathosDev/actor-ts#980", "cookies replayed", []string{"RS-001"}, nil, nil},
	{"granit-fx/granit-dotnet#1151", "cookies replayed, large answers forgotten, keys of any length, no lock", []string{"RS-001", "IK-009", "IK-036", "IK-051"}, nil, nil},
	{"KanishJebaMathewM/Truxify#4623", "an unlock that does not look whose lock it is", nil, []string{"a lost claim changes nothing", "a claim of a deleted record changes nothing"}, nil},
	{"KanishJebaMathewM/Truxify#5846", "a lock that is shorter than its handler", []string{"IK-083"}, nil, []string{"TestPausedWinner"}},
	{"KanishJebaMathewM/Truxify#6898", "no second look after the lock was got", []string{"IK-051", "IK-056"}, nil, []string{"TestConcurrency"}},
	{"KanishJebaMathewM/Truxify#2869", "refusals kept, and the path not in the key", []string{"IK-042", "IK-044", "IK-070"}, nil, nil},
	{"LabsCrypt/remitlend#1329", "a 5xx kept for the whole window", []string{"IK-074", "IK-076"}, nil, []string{"TestFailures"}},
	{"LabsCrypt/remitlend#1624", "no state for requests in flight", []string{"IK-050"}, nil, nil},
	{"ikyriak/IdempotentAPI#23", "get, then set", []string{"IK-051"}, []string{"rivals that arrive one after the other meet one winner"}, nil},
	{"mastodon/mastodon#37879", "a race on the check", []string{"IK-050", "IK-051"}, nil, []string{"TestConcurrency"}},
	{"fullstackhero/dotnet-starter-kit#1333", "a client that leaves cancels the write of its answer", []string{"IK-085"}, nil, []string{"TestClientGone"}},
	{"caura-ai/caura#1629", "a client that leaves: 409, later a second effect", []string{"IK-085"}, nil, nil},
	{"margince/margince#423", "a record that is deleted between meeting and reading it", []string{"IK-093"}, []string{"the reaper deletes the dead and only them"}, nil},
	{"aws-powertools/powertools-lambda-typescript#5705", "the fingerprint is dropped at the end", []string{"IK-040", "IK-041"}, nil, nil},
	{"aws-powertools/powertools-lambda-python#638", "the order of members changes the fingerprint", []string{"IK-046"}, nil, []string{"TestCanonicalJSON"}},
	{"aws-powertools/powertools-lambda-python#3821", "a local cache answers before the payload is compared", []string{"IK-040", "IK-055"}, nil, nil},
	{"aws-powertools/powertools-lambda-python#1387", "a worker that timed out stays in flight", []string{"IK-083"}, nil, []string{"TestHungWorkerIsEndedByTheDatabase"}},
	{"square1-io/laravel-idempotency#1 and #5", "check, then lock; and a lock that an exception leaks", []string{"IK-051", "IK-073"}, nil, nil},
	{"idempot-dev/idempot-js#186", "the loser of a race gets a 503", []string{"IK-056", "IK-059"}, nil, nil},
	{"VSN2015/concerns_on_rails#47", "Location lost in the replay", []string{"IK-004"}, nil, nil},
	{"Universal-Commerce-Protocol/ucp#664", "an envelope that changes with every attempt", nil, nil, []string{"TestJSONFields"}},
	{"ikyriak/IdempotentAPI#85", "a replay that cannot be told", []string{"IK-002"}, nil, nil},
	{"nemotron#2958", "streamed answers are not kept", nil, nil, []string{"TestStreamingIsRefusedClearly", "TestResponseController"}},
}

func TestReportsAreCovered(t *testing.T) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	ids, suite := make([]string, 0, len(cases)), make([]string, 0, len(storetest.Cases()))
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	for _, c := range storetest.Cases() {
		suite = append(suite, c.Name)
	}
	tests := testNames(t)
	if len(reports) != 30 {
		t.Errorf("%d reports", len(reports))
	}
	for _, r := range reports {
		if len(r.cases)+len(r.suite)+len(r.tests) == 0 {
			t.Errorf("%s is not covered", r.where)
		}
		for _, list := range []struct{ want, have []string }{{r.cases, ids}, {r.suite, suite}, {r.tests, tests}} {
			for _, name := range list.want {
				if !slices.Contains(list.have, name) {
					t.Errorf("%s: there is no %q", r.where, name)
				}
			}
		}
	}
}

// testNames lists the tests of M/server and of this module.
func testNames(t *testing.T) (names []string) {
	t.Helper()
	form := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range form.FindAllStringSubmatch(string(text), -1) {
			names = append(names, match[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
