package staffweb_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"frontdesk/adapters/staffweb"
)

// send writes a request on a connection of its own, and returns the status of the
// answer.
func (s *service) send(ctx context.Context, request string) (status int, err error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.Listener.Addr().String())
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

// A form whose body never arrives holds no permit that a page needs, and times out.
func TestUnsentFormsDelayNoPage(t *testing.T) {
	t.Parallel()
	s := newService(t, behindAProxy, func(p *staffweb.Pages) { p.InFlight = 4 })
	b := s.from(t, "198.51.100.7")
	b.signIn(elm, "dr.lee")
	never := func(source string) string {
		return "POST /elm-street/staff/sign-in HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: " + source +
			"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nusername=dr.lee"
	}
	const forms = 64 // 16 are read at once, and at most half of them from one source
	statuses, done := make(chan int, forms), make(chan struct{})
	var all sync.WaitGroup
	for n := range forms {
		all.Go(func() {
			status, err := s.send(t.Context(), never(fmt.Sprintf("192.0.2.%d", n%2)))
			if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("form %d: %v", n, err)
			}
			statuses <- status
		})
	}
	go func() { defer close(done); all.Wait() }()
	for waiting := true; waiting; {
		b.get("/elm-street/staff/authorisations").wants(t, http.StatusOK, "", "Dr Lee")
		b.signIn(oak, "dr.lee")
		select {
		case <-done:
			waiting = false
		default:
		}
	}
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}
	late, busy := count[http.StatusRequestTimeout], count[http.StatusServiceUnavailable]
	if late == 0 || late > 15 || late+busy != forms {
		t.Errorf("%v; want 1 to 15 forms waited for, and the rest told that the service is busy", count)
	}
}

func TestPagesWithoutDatabaseNeedNoPermit(t *testing.T) {
	t.Parallel()
	s := newService(t, func(p *staffweb.Pages) { p.InFlight = 0 }) // there is no permit at all
	b := s.browser(t)
	b.get("/staff/style.css").wants(t, http.StatusOK, "", "")
	b.get("/nowhere").wants(t, http.StatusNotFound, "", "Page not found")
	b.get("/elm-street/staff/").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in", "")
	b.get("/elm-street/staff/authorisations").wants(t, http.StatusSeeOther, "/elm-street/staff/sign-in?then=authorisations", "")
	b.get("/elm-street/staff/sign-in").wants(t, http.StatusOK, "", "Sign in")
	answer := b.post("/elm-street/staff/sign-in", try("dr.lee", password))
	answer.wants(t, http.StatusServiceUnavailable, "", "Try again in 5 seconds.")
	if answer.Header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After: %s", answer.Header.Get("Retry-After"))
	}
	b.header.Set("Cookie", "frontdesk-elm-street="+strings.Repeat("A", 43))
	b.get("/elm-street/staff/authorisations").wants(t, http.StatusServiceUnavailable, "", "Sorry, the service is busy")
}
