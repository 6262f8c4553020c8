package forward_test

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/devkit/dev/forward"
)

// The program gets exactly the service's bytes: the body and each header, and no others,
// except the name of the host and the headers of the connection.
func TestAWebhookIsHandedOnAsItWasSent_D97(t *testing.T) {
	t.Parallel()
	s, p := newService(t), newProgram(t, fine)
	_, url := s.inbox(p.target())
	token := s.webhook("1") + "\n" // a byte that a token lacks also stays
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	must(t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: receiver\r\nContent-Type: application/jwt\r\nContent-Length: %d\r\n"+
		"Accept-Encoding: gzip\r\nX-Odd: one\r\nX-Odd: two, three\r\nConnection: keep-alive\r\n\r\n%s", len(token), token)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("the sender was answered %d", answer.StatusCode)
	}
	head, body, _ := strings.Cut(p.all()[0], "\r\n\r\n")
	if body != token {
		t.Errorf("the body is %q, and was %q", body, token)
	}
	lines := strings.Split(head, "\r\n")
	slices.Sort(lines[1:])
	want := []string{
		"POST /hook?from=dev HTTP/1.1", "Accept-Encoding: gzip", "Connection: close", fmt.Sprintf("Content-Length: %d", len(token)),
		"Content-Type: application/jwt", "Host: " + p.listener.Addr().String(), "X-Odd: one", "X-Odd: two, three",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("the head is\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// The sender gets the program's answer, and the inbox keeps it.
func TestTheSenderIsAnsweredAsTheProgramAnswers_D97(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for status, want := range map[string]int{
		"200 OK": 200, "204 No Content": 204, "302 Found\r\nLocation: http://127.0.0.1:1/": 302, "422 Odd": 422, "500 Broken": 500,
	} {
		p := newProgram(t, "HTTP/1.1 "+status+"\r\nConnection: close\r\n\r\n")
		inbox, url := s.inbox(p.target())
		got, _ := post(t, url, s.webhook("1"))
		kept := inbox.Kept()[0]
		if got != want || kept.Attempts[0].Status != want || kept.Attempts[0].Fine() != (want < 300) {
			t.Errorf("%s: the sender was answered %d; kept is %+v", status, got, kept.Attempts)
		}
		if came := len(p.all()); came != 1 {
			t.Errorf("%s: it came %d times", status, came)
		}
	}
}

func TestFailedForwardIsReportedKeptAndNotRetried_D97(t *testing.T) {
	t.Parallel()
	s, p := newService(t), newProgram(t, "") // it hangs up
	inbox, url := s.inbox(p.target())
	status, said := post(t, url, s.webhook("1"))
	if status != http.StatusBadGateway || !strings.Contains(said, "EOF") {
		t.Errorf("the sender was answered %d: %s", status, said)
	}
	if came := len(p.all()); came != 1 {
		t.Errorf("it was sent %d times", came)
	}
	p.answers(fine)
	again, err := inbox.Again(t.Context(), 1)
	must(t, err)
	if came := p.all(); len(came) != 2 || came[0] != came[1] {
		t.Errorf("sent again, it is %q", came)
	}
	if kept := inbox.Kept()[0].Attempts; len(kept) != 2 || len(again.Attempts) != 2 || kept[0].Failure == "" || !kept[1].Fine() || kept[1].Answer != "Done" {
		t.Errorf("kept is %+v", kept)
	}
	if _, err := inbox.Again(t.Context(), 2); !errors.Is(err, forward.ErrGone) {
		t.Errorf("one that never came: %v", err)
	}
}

func TestAProgramThatIsNotThereIsNamed_D97(t *testing.T) {
	t.Parallel()
	s, p := newService(t), newProgram(t, fine)
	p.listener.Close()
	_, url := s.inbox(p.target())
	status, said := post(t, url, s.webhook("1"))
	if want := "nothing listens at " + p.listener.Addr().String(); status != http.StatusBadGateway || !strings.Contains(said, want) {
		t.Errorf("the sender was answered %d: %s", status, said)
	}
}

// Only the service's webhooks are forwarded.
func TestInvalidWebhookIsNotForwarded_D97(t *testing.T) {
	t.Parallel()
	s, stranger, p := newService(t), newService(t), newProgram(t, fine)
	inbox, url := s.inbox(p.target())
	for _, token := range []string{stranger.webhook("1"), "", "x.y.z", strings.Repeat("x", 65<<10)} {
		if status, said := post(t, url, token); status != http.StatusBadRequest {
			t.Errorf("%.20s was answered %d: %s", token, status, said)
		}
	}
	if len(p.all()) != 0 {
		t.Errorf("handed on: %q", p.all())
	}
	if _, err := inbox.Again(t.Context(), 1); !errors.Is(err, forward.ErrRefused) {
		t.Errorf("again: %v", err)
	}
	if response, err := http.Get(url); err != nil || response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %v, %v", response, err)
	}
}

func TestWithoutAProgramWebhooksAreTaken_D97(t *testing.T) {
	t.Parallel()
	s := newService(t)
	inbox, url := s.inbox(nil)
	if status, _ := post(t, url, s.webhook("1")); status != http.StatusAccepted {
		t.Errorf("answered %d", status)
	}
	if _, err := inbox.Again(t.Context(), 1); !errors.Is(err, forward.ErrNoTarget) {
		t.Errorf("again: %v", err)
	}
}

func TestAnInboxKeepsTheNewestHundred_D97(t *testing.T) {
	t.Parallel()
	s := newService(t)
	inbox, url := s.inbox(nil)
	for n := range 103 {
		post(t, url, s.webhook(fmt.Sprint(n+1)))
	}
	kept := inbox.Kept()
	if len(kept) != 100 || kept[0].Verified.JTI != "103" || kept[99].Verified.JTI != "4" || kept[99].Number != 4 {
		t.Errorf("%d are kept, from %s to %s", len(kept), kept[0].Verified.JTI, kept[99].Verified.JTI)
	}
	if _, err := inbox.Again(t.Context(), 3); !errors.Is(err, forward.ErrGone) {
		t.Errorf("one that is gone: %v", err)
	}
}

func TestOnlyAnHTTPAddressTakesWebhooks_D97(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "localhost:3000", "ftp://localhost/", "http:///hook", "http://[::1"} {
		if _, err := forward.NewTarget(address); !errors.Is(err, forward.ErrTarget) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := forward.NewTarget("https://localhost:3000/hook"); err != nil {
		t.Error(err)
	}
}

// A long answer of a program, or one that is no text, is shown in short.
func TestABeginningOfTheAnswerIsKept_D97(t *testing.T) {
	t.Parallel()
	s := newService(t)
	long := strings.Repeat("ä", 2000)
	for body, want := range map[string]string{"Thanks ✓": "Thanks ✓", long: strings.Repeat("ä", 1024), "\xff\xfe\xfd\xfc\xfb\xfa": "6 bytes that are no text"} {
		p := newProgram(t, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		inbox, url := s.inbox(p.target())
		post(t, url, s.webhook("1"))
		if got := inbox.Kept()[0].Attempts[0].Answer; got != want {
			t.Errorf("%.10q: kept is %q", body, got)
		}
	}
}

// A receiver names the reason of a refusal in one word. Nothing else of an answer is repeated.
func TestAnswerOfOneWord_D159(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"wrong-tenant": "wrong-tenant", " expired\n": "expired", "": "", "not found": "", "<b>": "", "\x1b[31mred": "",
		strings.Repeat("a", 41): "",
	} {
		if got := (forward.Attempt{Answer: answer}).Word(); got != want {
			t.Errorf("%q: %q", answer, got)
		}
	}
}
