package matrix_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/conformance/check"
	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/servertest/shop"
)

// described is the shop as its owner would describe it, with all that a file can offer.
const described = `
paths: {create: /orders, other: /refunds, item1: /orders/1/capture, item2: /orders/2/capture, optional: /notes,
  waiting: /waiting, short: /short, long_keys: /long, phased: /payments}
bodies: {A: {marker: "{marker}", variant: A}, B: {marker: "{marker}", variant: B}, invalid: {marker: "{marker}", variant: invalid}}
callers: {A: {Authorization: Bearer A}, B: {Authorization: Bearer B}, bad: {Authorization: Bearer bad},
  a: {Authorization: Bearer a}, "a:b": {Authorization: "Bearer a:b"}}
effects: {get: "/effects?marker={marker}"}
offers: [optional, waiting, long_keys, short_window, phases, load, raw]
lease: 2s
window: 1s
fault: {header: X-Fault, value: "{name}={value}"}
`

// The command proves the same of a described server as the matrix does, one case of each need among them.
func TestCheckCommand(t *testing.T) {
	cases := "IK-001,IK-009,IK-030,IK-037,IK-042,IK-044,IK-047,IK-052,IK-055,IK-060,IK-065,IK-072,IK-075,IK-090,IK-104"
	for name, failures := range map[string]idempotency.Failures{"reattempt": idempotency.ReattemptFailures, "store": idempotency.StoreFailures} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := shop.New(t.Context(), shop.Config{
				Store: idempotency.NewMemory(nil), Failures: failures, Lease: lease, Window: time.Second, Ledger: serveLedger(t, shop.NewLedger()),
			})
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			mux.Handle("/", s.Handler)
			mux.HandleFunc("GET /effects", func(w http.ResponseWriter, r *http.Request) {
				n, err := s.Effects(r.Context(), r.URL.Query().Get("marker"))
				if err != nil {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				fmt.Fprint(w, n)
			})
			server := httptest.NewServer(mux)
			t.Cleanup(server.Close)
			file := filepath.Join(t.TempDir(), "check.yaml")
			if err := os.WriteFile(file, []byte(described), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			cmd := check.Command()
			cmd.SetOut(&out)
			cmd.SetArgs([]string{"--target", file, "--url", server.URL, "--strict", "--only", cases})
			if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), "; 0 skipped") {
				t.Errorf("%v\n%s", err, out.String())
			}
		})
	}
}
