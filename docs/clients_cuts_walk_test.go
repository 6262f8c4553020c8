//go:build walk

package docs_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// A cutter is a proxy that sends only the beginning of the service's answers: the first answer for
// an Idempotency-Key such as "closed-17" ends after 17 bytes. Later ones are whole.
type cutter struct {
	net.Listener
	service string // its host and port

	mu   sync.Mutex
	seen map[string]int // how many attempts reached the service, by key
}

func newCutter(t *testing.T, service string) *cutter {
	t.Helper()
	to, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: listener, service: to.Host, seen: map[string]int{}}
	var connections sync.WaitGroup
	connections.Go(func() {
		for {
			conn, err := c.Accept()
			if err != nil {
				return // it is closed
			}
			connections.Go(func() { c.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = c.Close()
		connections.Wait()
	})
	return c
}

// serve answers the calls of a connection until it ends.
func (c *cutter) serve(conn net.Conn) {
	defer conn.Close()
	for requests := bufio.NewReader(conn); ; {
		request, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		answer, err := c.forward(request)
		if err != nil {
			return
		}
		how, bytes := c.cut(request.Header.Get("Idempotency-Key"))
		if how == "" {
			_, _ = conn.Write(answer)
			continue
		}
		_, _ = conn.Write(answer[:min(bytes, len(answer))])
		if how == "reset" {
			_ = conn.(*net.TCPConn).SetLinger(0) // Close sends a reset
		}
		return
	}
}

// forward returns the bytes of the service's answer.
func (c *cutter) forward(request *http.Request) ([]byte, error) {
	to, err := (&net.Dialer{}).DialContext(request.Context(), "tcp", c.service)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	if err := request.Write(to); err != nil {
		return nil, err
	}
	var raw bytes.Buffer
	answer, err := http.ReadResponse(bufio.NewReader(io.TeeReader(to, &raw)), request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return raw.Bytes(), err
}

// cut reads how a key's first answer ends, and after how many bytes.
func (c *cutter) cut(key string) (how string, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[key]++; c.seen[key] > 1 {
		return "", 0
	}
	_, plan, _ := strings.Cut(key, " ")
	if n, err := fmt.Sscanf(strings.ReplaceAll(plan, "-", " "), "%s %d", &how, &bytes); n < 2 || err != nil {
		return "", 0
	}
	return how, bytes
}

func (c *cutter) reached(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[key]
}

// longestCut is more than an answer has bytes.
const longestCut = 560

// Wherever an answer is cut, and however the connection ends, the call is made once and is no
// refusal.
func TestWalkClientsOutliveEachCut_D159(t *testing.T) {
	t.Parallel()
	s, info := aSandbox(t)
	inEveryLanguage(t, func(t *testing.T, c clientPackage) {
		proxy := newCutter(t, info.APIURL)
		for _, how := range []string{"closed", "reset"} {
			patient := s.aPatient(t, info)
			var drivers sync.WaitGroup
			const many = 8 // attempts wait for most of the time
			for i := range many {
				d := info.caller(t, c, "http://"+proxy.Addr().String())
				drivers.Go(func() {
					for at := i; at <= longestCut; at += many {
						key := fmt.Sprintf("%s %s-%d", patient, how, at)
						out := d.do(order{Do: "create-note", Key: key, Input: fields{"patientId": patient, "note": key}})
						// After a whole answer, the next call may find its connection closed.
						if out.Error != nil || out.Tries > 3 || out.Replayed != (proxy.reached(key) == 2) {
							t.Errorf("an answer that is %s after %d bytes takes %d attempts, replayed: %v; %+v", how, at, out.Tries, out.Replayed, out.Error)
						}
					}
				})
			}
			drivers.Wait()
			d := info.caller(t, c, info.APIURL)
			notes, _ := d.must(order{Do: "retrieve-care-record", Input: fields{"patientId": patient}}).OK["notes"].([]any)
			if len(notes) != longestCut+1 {
				t.Errorf("of %d notes there are %d", longestCut+1, len(notes))
			}
		}
	})
}
