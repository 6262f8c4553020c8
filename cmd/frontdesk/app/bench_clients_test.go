package app_test

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/benchtest"
	"frontdesk/adapters/clock"
	"frontdesk/domain/application"
)

// crowd is a number of clients in a process of their own, so that their CPU does not count
// as the program's. The process is this binary. It reads orders as JSON, one a line, and
// answers each.
type crowd struct {
	b       *testing.B
	orders  *json.Encoder
	answers *json.Decoder
}

// clients is the first to register: it describes the callers and their calls.
type clients struct {
	Number int
	Calls  []call         // made one after the other, each by the client that is free
	ID     application.ID // of the application that signs a token for each call
	Kid    string
	Key    []byte // PKCS #1; nil if calls carry no token
}

type call struct{ Method, URL, Host, Body, Cookie string }

// order has the clients call for a while, or mint their tokens.
type order struct{ During time.Duration } // 0 for minting

type answered struct {
	Work  benchtest.Work
	Error string
}

const clientsVariable = "FRONTDESK_BENCH_CLIENTS"

func TestMain(m *testing.M) {
	if os.Getenv(clientsVariable) != "" {
		if err := serveOrders(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "clients:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// newCrowd starts the clients. If there is an integrator, it signs.
func newCrowd(b *testing.B, number int, integrator *bearertest.Application, calls ...call) *crowd {
	b.Helper()
	first := clients{Number: number, Calls: calls}
	if integrator != nil {
		first.ID, first.Kid, first.Key = integrator.ID, integrator.Kid, x509.MarshalPKCS1PrivateKey(integrator.Key)
	}
	binary, err := os.Executable()
	must(b, err)
	process := exec.CommandContext(context.WithoutCancel(b.Context()), binary)
	process.Env, process.Stderr = append(os.Environ(), clientsVariable+"=1"), os.Stderr
	orders, err := process.StdinPipe()
	must(b, err)
	answers, err := process.StdoutPipe()
	must(b, err)
	must(b, process.Start())
	b.Cleanup(func() {
		if err := errors.Join(orders.Close(), process.Wait()); err != nil {
			b.Errorf("end the clients: %v", err)
		}
	})
	c := &crowd{b, json.NewEncoder(orders), json.NewDecoder(answers)}
	must(b, c.orders.Encode(first))
	return c
}

// rate is the throughput of the clients in turns of the given length; 0 means 300 ms.
func (c *crowd) rate(unit string, during time.Duration) benchtest.Rate {
	return benchtest.Rate{
		Unit:    unit,
		Prepare: func() { c.carryOut(order{}) },
		Turn:    func() benchtest.Work { return c.carryOut(order{cmp.Or(during, 300*time.Millisecond)}) },
	}
}

func (c *crowd) carryOut(o order) benchtest.Work {
	c.b.Helper()
	var a answered
	if err := errors.Join(c.orders.Encode(o), c.answers.Decode(&a)); err != nil {
		c.b.Fatalf("the clients have ended: %v", err)
	}
	if a.Error != "" {
		c.b.Fatalf("the clients have failed: %s", a.Error)
	}
	return a.Work
}

// serveOrders is the process of the clients. It ends with its orders.
func serveOrders(orders io.Reader, answers io.Writer) error {
	in, out := json.NewDecoder(orders), json.NewEncoder(answers)
	var c clients
	if err := in.Decode(&c); err != nil {
		return fmt.Errorf("read who calls: %w", err)
	}
	tokens, err := newTokens(c)
	if err != nil {
		return err
	}
	client := &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: c.Number},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	var next atomic.Int64
	callNext := func(ctx context.Context) error {
		return callOnce(ctx, client, c.Calls[int(next.Add(1))%len(c.Calls)], tokens.take())
	}
	for {
		var o order
		switch err := in.Decode(&o); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read an order: %w", err)
		}
		var a answered
		if o.During == 0 {
			tokens.mint()
		} else {
			work, err := benchtest.Repeat(context.Background(), c.Number, o.During, callNext)
			if a.Work = work; err != nil {
				a.Error = err.Error()
			}
		}
		if err := out.Encode(a); err != nil {
			return fmt.Errorf("answer an order: %w", err)
		}
	}
}

// tokens are minted in advance, one for each call. Without an integrator there are none.
type tokens struct {
	integrator *bearertest.Application
	minted     chan string
	age        clock.Stopwatch
}

func newTokens(c clients) (*tokens, error) {
	if c.Key == nil {
		return &tokens{}, nil
	}
	key, err := x509.ParsePKCS1PrivateKey(c.Key)
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	return &tokens{integrator: &bearertest.Application{ID: c.ID, Kid: c.Kid, Key: key}}, nil
}

// manyTokens is more than a turn uses on a quick machine. To mint one takes longer than all
// that a call does.
const manyTokens = 2400

// mint fills up the tokens, on all cores, unless half of them are left and good for a while.
func (t *tokens) mint() {
	if t.integrator == nil || len(t.minted) > manyTokens/2 && t.age.Elapsed() < 30*time.Second {
		return
	}
	t.age = clock.Start()
	t.minted = make(chan string, manyTokens)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for range manyTokens / runtime.GOMAXPROCS(0) {
				t.minted <- t.integrator.Token(clock.System())
			}
		})
	}
	group.Wait()
}

// take returns an unused token, and "" if calls carry none.
func (t *tokens) take() string {
	if t.integrator == nil {
		return ""
	}
	select {
	case token := <-t.minted:
		return token
	default:
		return t.integrator.Token(clock.System())
	}
}

func callOnce(ctx context.Context, client *http.Client, c call, token string) error {
	r, err := http.NewRequestWithContext(ctx, c.Method, c.URL, strings.NewReader(c.Body))
	if err != nil {
		return err
	}
	if c.Host != "" {
		r.Host = c.Host
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if c.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Cookie != "" {
		r.Header.Set("Cookie", c.Cookie)
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %d, %w", c.URL, response.StatusCode, err)
	}
	return nil
}
