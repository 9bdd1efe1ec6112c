package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrysafe/retrysafe/examples/internal/tool"
	"github.com/retrysafe/retrysafe/examples/shop-server/shop"
	"github.com/retrysafe/retrysafe/sdk"
	"github.com/retrysafe/retrysafe/sdk/retry"
)

// envArgs holds the arguments of a process of this test that is the server.
const envArgs = "SHOP_SERVER_TEST_ARGS"

func TestMain(m *testing.M) {
	if args := os.Getenv(envArgs); args != "" {
		if err := run(context.Background(), strings.Fields(args), io.Discard); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// server is a process that can be killed and started again on the same port and database.
type server struct {
	t    *testing.T
	args string
	mu   sync.Mutex
	cmd  *exec.Cmd
}

func (s *server) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env = append(os.Environ(), envArgs+"="+s.args)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		s.t.Error(err)
	}
}

// kill is kill -9.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// The server is killed again and again while customers order, confirm and pay. Each intent has one effect, in the
// database and at the bank.
func TestKilledServer(t *testing.T) {
	purchases, kills := 60, 8
	if testing.Short() {
		purchases, kills = 20, 3
	}
	bank := shop.NewBank()
	foreign := httptest.NewServer(bank)
	defer foreign.Close()
	address := freePort(t)
	s := &server{t: t, args: strings.Join([]string{
		"-listen", address, "-db", filepath.Join(t.TempDir(), "shop.db"), "-bank", foreign.URL, "-lease", "500ms", "-seed", "5",
	}, " ")}
	s.start()
	defer s.kill()

	client, err := sdk.New(
		sdk.WithBaseURL("http://"+address+"/v1"), sdk.WithBearerToken("t"), sdk.WithEnv(nil), sdk.WithLogger(nil), sdk.WithBudget(nil),
		sdk.WithMaxAttempts(1000), sdk.WithDeadline(2*time.Minute), sdk.WithAttemptTimeout(5*time.Second),
		sdk.WithBackoff(retry.Backoff{Base: 20 * time.Millisecond, ThrottleBase: 50 * time.Millisecond, Cap: 500 * time.Millisecond}),
	)
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()

	done := make(chan struct{})
	var killer sync.WaitGroup
	killer.Go(func() {
		random := rand.New(rand.NewPCG(1, 2))
		for range kills {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(100+random.IntN(400)) * time.Millisecond):
			}
			s.kill()
			s.start()
		}
	})
	buyAll(t, client, purchases)
	close(done)
	killer.Wait()
	settled(t, address, bank, int64(purchases))
}

// buyAll makes the purchases, four at a time.
func buyAll(t *testing.T, client *sdk.Client, purchases int) {
	t.Helper()
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for n := range numbers {
				if err := buy(t.Context(), client, n); err != nil {
					t.Errorf("purchase %d: %v", n, err)
				}
			}
		})
	}
	for n := range purchases {
		numbers <- n
	}
	close(numbers)
	workers.Wait()
}

func buy(ctx context.Context, client *sdk.Client, n int) error {
	ref := fmt.Sprintf("web-%d", n)
	order, err := client.Orders.Create(ctx, sdk.CreateOrderRequest{
		OrderRef: ref, CustomerID: "cus_1", Currency: sdk.CurrencyEUR, Lines: []sdk.OrderLine{{SKU: "lamp-1", Quantity: 2}},
	})
	if err != nil {
		return err
	}
	if _, err := client.Orders.Confirm(ctx, sdk.ConfirmOrderRequest{OrderRef: ref}); err != nil {
		return err
	}
	_, err = client.Payments.Create(ctx, sdk.CreatePaymentRequest{
		OrderID: order.ID, Amount: order.Total.Amount, Currency: order.Total.Currency,
		Method: sdk.NewPaymentMethodBankTransfer(sdk.BankTransfer{IBAN: "NL91ABNA0417164300"}),
	})
	return err
}

// settled compares what the shop and the bank did with what was meant.
func settled(t *testing.T, address string, bank *shop.Bank, purchases int64) {
	t.Helper()
	response, err := http.Get("http://" + address + "/debug/effects")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var effects shop.Effects
	if err := json.NewDecoder(response.Body).Decode(&effects); err != nil {
		t.Fatal(err)
	}
	for name, counts := range map[string]map[string]int64{"orders": effects.Orders, "payments": effects.Payments} {
		if int64(len(counts)) != purchases || shop.Surplus(counts) != 0 {
			t.Errorf("%s: %d intents, %d surplus effects, want %d and 0", name, len(counts), shop.Surplus(counts), purchases)
		}
	}
	if got := effects.Sold["lamp-1"]; got != 2*purchases {
		t.Errorf("%d lamps sold, want %d", got, 2*purchases)
	}
	money, calls, charges := bank.Taken()
	if effects.Charged["EUR"] != 5980*purchases || money["EUR"] != 5980*purchases || int64(charges) != purchases {
		t.Errorf("charged %d, the bank took %d in %d charges, want %d in %d", effects.Charged["EUR"], money["EUR"], charges, 5980*purchases, purchases)
	}
	t.Logf("%d calls of the bank for %d charges", calls, charges)
}

func TestServesInMemory(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address := freePort(t)
	ended := make(chan error, 1)
	var out syncBuffer
	go func() { ended <- run(ctx, []string{"-listen", address, "-db", "memory"}, &out) }()
	client, err := sdk.New(sdk.WithBaseURL("http://"+address+"/v1"), sdk.WithEnv(nil), sdk.WithLogger(nil), sdk.WithMaxAttempts(50))
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	if health, err := client.System.GetHealth(ctx); err != nil || health != "ok" {
		t.Errorf("%q %v", health, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "shop listens on http://"+address) {
		t.Errorf("output %q", out.String())
	}
	if err := run(t.Context(), []string{"-listen", "nowhere:x", "-db", "memory"}, io.Discard); err == nil {
		t.Error("no error for an address that is none")
	}
}

type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// The file beside the server describes it to "retrysafe check", which finds nothing that a server must do and this one does not.
func TestCheckFile(t *testing.T) {
	handler, err := shop.New(t.Context(), shop.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	out, err := exec.Command(tool.Build(t), "check", "--target", "check.yaml", "--url", server.URL).CombinedOutput()
	if err != nil || strings.Count(string(out), " pass  ") < 25 {
		t.Errorf("%v\n%s", err, out)
	}
}
