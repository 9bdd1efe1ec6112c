package stores_test

import (
	"testing"

	"github.com/retrysafe/retrysafe/server/idempotency"
	"github.com/retrysafe/retrysafe/server/kvstore"
	"github.com/retrysafe/retrysafe/server/servertest/natstest"
	"github.com/retrysafe/retrysafe/server/storetest"
)

func TestNATS(t *testing.T) { suiteOnNATS(t, 1) }

// Three servers: a write is acknowledged by a majority, and each handle talks to another server.
func TestNATSCluster(t *testing.T) { suiteOnNATS(t, 3) }

func suiteOnNATS(t *testing.T, n int) {
	t.Helper()
	handles, c := natstest.Bucket(t, natstest.Servers(t, n)), newClock()
	open := func(i int) idempotency.Store {
		return kvstore.New(handles[i], kvstore.Options{Clock: c.Now, MaxValue: 700_000})
	}
	h := storetest.Harness{Store: open(0), Second: open(n - 1), Advance: c.Advance}
	storetest.Run(t, func(*testing.T) storetest.Harness { return h })
}
