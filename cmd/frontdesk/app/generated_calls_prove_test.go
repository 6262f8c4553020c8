//go:build prove

package app_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/provetest"
)

// TestProveGeneratedCallsAreDescribed_D150 makes 20,000 calls, and waits for the answers to slow bodies.
func TestProveGeneratedCallsAreDescribed_D150(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	g := newGenerator(t, seed)
	g.sendSlowly()
	g.callAtLeast(20_000)
	g.wantReached()
	provetest.Tried(t, g.made, "calls")
}

// sendSlowly begins a call of each operation with a body, which does not arrive.
func (g *generator) sendSlowly() {
	g.t.Helper()
	var waiting sync.WaitGroup
	for _, o := range g.contract.Operations() {
		o := operation(o)
		if c := g.sound(o); c.body != nil {
			connection := g.dial()
			_, err := fmt.Fprintf(connection, "%s %s HTTP/1.1\r\nHost: %s.frontdesk.test\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
				c.method(), c.operation[1], elm, c.by.Token(g.clock.Now()))
			must(g.t, err)
			waiting.Go(func() {
				defer connection.Close()
				response, err := http.ReadResponse(bufio.NewReader(connection), nil)
				if err != nil {
					g.t.Errorf("%v: %v", o, err)
					return
				}
				g.read(o, response)
			})
			g.clock.Pass(time.Second)
		}
	}
	waiting.Wait()
}
