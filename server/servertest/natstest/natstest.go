// Package natstest runs embedded NATS servers for tests.
package natstest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/retrysafe/retrysafe/server/natskv"
)

const startTime = 30 * time.Second

// Servers starts n servers with JetStream, as one cluster when n is above 1, and returns them.
func Servers(tb testing.TB, n int) []*server.Server {
	tb.Helper()
	ports := freePorts(tb, n)
	routes := make([]*url.URL, n)
	for i, port := range ports {
		routes[i] = &url.URL{Scheme: "nats-route", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	}
	servers := make([]*server.Server, n)
	for i := range n {
		opts := &server.Options{
			ServerName: fmt.Sprintf("n%d", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
			JetStream: true, StoreDir: tb.TempDir(),
		}
		if n > 1 {
			opts.Cluster = server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: ports[i]}
			opts.Routes = routes
		}
		s, err := server.NewServer(opts)
		if err != nil {
			tb.Fatal(err)
		}
		s.Start()
		tb.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		servers[i] = s
	}
	for _, s := range servers {
		if !s.ReadyForConnections(startTime) {
			tb.Fatal("NATS does not start")
		}
	}
	return servers
}

// Bucket makes a key-value bucket with as many replicas as there are servers, and returns a handle to it through each.
func Bucket(tb testing.TB, servers []*server.Server) []*natskv.KV {
	tb.Helper()
	handles := make([]*natskv.KV, len(servers))
	for i, s := range servers {
		conn, err := nats.Connect(s.ClientURL())
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(conn.Close)
		js, err := jetstream.New(conn)
		if err != nil {
			tb.Fatal(err)
		}
		handles[i] = open(tb, js, len(servers))
	}
	return handles
}

// open waits until the cluster has a leader.
func open(tb testing.TB, js jetstream.JetStream, replicas int) *natskv.KV {
	tb.Helper()
	var err error
	for end := time.Now().Add(startTime); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		var kv *natskv.KV
		kv, err = natskv.Open(ctx, js, jetstream.KeyValueConfig{Bucket: "idempotency", Replicas: replicas})
		cancel()
		if err == nil {
			return kv
		}
	}
	tb.Fatal(err)
	return nil
}

func freePorts(tb testing.TB, n int) []int {
	tb.Helper()
	ports := make([]int, n)
	for i := range ports {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		defer l.Close()
		addr, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			tb.Fatalf("address %v", l.Addr())
		}
		ports[i] = addr.Port
	}
	return ports
}
