package page_test

import (
	"bufio"
	"net/http"
	"testing"

	"frontdesk/adapters/clock/clocktest"
)

// An open page is notified of each change, and is no longer counted once it is closed.
func TestOpenPageReceivesChanges_D97(t *testing.T) {
	t.Parallel()
	s := serve(t)
	if s.Watched() {
		t.Error("a page is counted before it follows")
	}
	answer, err := s.visitor().Get(s.here("/events"))
	must(t, err)
	lines := bufio.NewScanner(answer.Body)
	for range 2 { // when it comes, and when something changes
		if !lines.Scan() || lines.Text() != "data: changed" {
			t.Fatalf("it received %q, %v", lines.Text(), lines.Err())
		}
		lines.Scan()
		if !s.Watched() {
			t.Error("the open page is not counted")
		}
		s.changed.Notify()
	}
	answer.Body.Close()
	clocktest.Eventually(t, func() bool { return !s.Watched() }, "the reader not to be counted any more")
}

func TestPagesThatFollowAreBounded_D97(t *testing.T) {
	t.Parallel()
	s := serve(t)
	browser := s.visitor()
	for n := range 17 {
		answer, err := browser.Get(s.here("/events"))
		must(t, err)
		t.Cleanup(func() { answer.Body.Close() })
		want := http.StatusOK
		if n == 16 {
			want = http.StatusServiceUnavailable
		}
		if answer.StatusCode != want {
			t.Errorf("page %d: answered %d", n+1, answer.StatusCode)
		}
	}
}
