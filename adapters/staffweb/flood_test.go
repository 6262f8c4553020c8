package staffweb_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/signin"
)

// held checks passwords one at a time, when released, and returns their owners.
type held struct {
	passwords
	begun   chan string
	proceed chan struct{}
}

func (h held) Check(ctx context.Context, tenant, username, typed string) (signin.Holder, bool, error) {
	h.begun <- username
	<-h.proceed
	return h.passwords.Check(ctx, tenant, username, typed)
}

// held makes the service check one password at a time, when released. All others wait
// until then.
func (s *service) held() held {
	h := held{s.pages.Auth.Passwords.(passwords), make(chan string), make(chan struct{})}
	s.pages.Auth.Passwords, s.pages.Auth.Queue = h, signin.QueueOf(1)
	s.pages.Limit, s.pages.Auth.Queue.Limit = time.Hour, time.Hour
	return h
}

// waitForQueue waits until n sign-ins are in the queue.
func (s *service) waitForQueue(t *testing.T, n int) {
	t.Helper()
	clocktest.Eventually(t, func() bool { return s.pages.Auth.Queue.Waiting() == n }, "%d sign-ins in the queue", n)
}

// from is a browser at another address, by a proxy's header.
func (s *service) from(t *testing.T, source string) *browser {
	t.Helper()
	b := s.browser(t)
	b.header.Set("X-Forwarded-For", source)
	return b
}

func TestSignInFloodBlocksNoOtherSource_D45(t *testing.T) {
	t.Parallel()
	s := newService(t, behindAProxy, func(p *staffweb.Pages) { p.InFlight = 64 })
	h := s.held()
	var all sync.WaitGroup
	for range 63 {
		all.Go(func() {
			s.from(t, "192.0.2.1").post("/elm-street/staff/sign-in", try("dr.lee", "not the password"))
		})
	}
	<-h.begun // one is being checked; 59 wait, which together is the source's budget
	s.waitForQueue(t, 59)

	// Signed-in pages are served, also to the same source.
	s.from(t, "192.0.2.1").get("/elm-street/staff/sign-in").wants(t, http.StatusOK, "", "Sign in")
	all.Go(func() { s.from(t, "198.51.100.7").signIn(elm, "dr.may") })
	s.waitForQueue(t, 60)
	h.proceed <- struct{}{}
	if next := <-h.begun; next != "dr.may" {
		t.Errorf("the next to be looked at is %s, want the other source's", next)
	}
	go func() { // the rest are answered without a check: the account has to wait
		for range h.begun {
		}
	}()
	close(h.proceed)
	all.Wait()
	close(h.begun)
}

func TestLongSignInWaitGetsRetryTime_D45(t *testing.T) {
	t.Parallel()
	s := newService(t)
	h := s.held()
	s.pages.Auth.Queue.Limit = 100 * time.Millisecond
	var all, first sync.WaitGroup
	first.Go(func() { s.browser(t).post("/elm-street/staff/sign-in", try("dr.may", password)) })
	<-h.begun
	for range 2 { // which costs nothing of the source's budget of sixty
		for range 59 {
			all.Go(func() {
				answer := s.browser(t).post("/elm-street/staff/sign-in", try("dr.lee", password))
				answer.wants(t, http.StatusServiceUnavailable, "", "Try again in 5 seconds.")
				if answer.Header.Get("Retry-After") != "5" {
					t.Errorf("Retry-After: %s", answer.Header.Get("Retry-After"))
				}
			})
		}
		all.Wait()
	}
	h.proceed <- struct{}{}
	first.Wait()
	all.Go(func() { s.browser(t).signIn(elm, "dr.lee") })
	<-h.begun
	close(h.proceed)
	all.Wait()
}

// Three hundred sources try to sign in, each with a username of its own.
func TestKnownBrowserOvertakesManySources_D45(t *testing.T) {
	t.Parallel()
	s := newService(t, behindAProxy, func(p *staffweb.Pages) { p.InFlight = 256 })
	owner := s.from(t, "198.51.100.7")
	owner.signIn(elm, "dr.lee")
	h := s.held()
	var all sync.WaitGroup
	statuses := make(chan int, 300)
	for n := range 300 {
		all.Go(func() {
			answer := s.from(t, fmt.Sprintf("192.0.%d.%d", n/100, n%100)).post("/elm-street/staff/sign-in", try(fmt.Sprintf("staff%d", n), "Password1"))
			statuses <- answer.StatusCode
		})
	}
	<-h.begun
	for <-statuses != http.StatusServiceUnavailable { // the strangers' queue is full
	}
	s.waitForQueue(t, 255)
	all.Go(func() { owner.signIn(elm, "dr.lee") })
	s.waitForQueue(t, 256)
	h.proceed <- struct{}{}
	if next := <-h.begun; next != "dr.lee" {
		t.Errorf("the next to be looked at is %s, want the owner", next)
	}
	go func() {
		for range h.begun {
		}
	}()
	close(h.proceed)
	all.Wait()
	close(h.begun)
}

func behindAProxy(p *staffweb.Pages) {
	p.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

func TestPasswordSprayingIsStopped_D45(t *testing.T) {
	t.Parallel()
	s := newService(t, behindAProxy)
	b, looked := s.from(t, "192.0.2.1"), 0
	for n := range 300 {
		answer := b.post("/elm-street/staff/sign-in", try(fmt.Sprintf("staff%d", n), "Password1"))
		switch answer.StatusCode {
		case http.StatusBadRequest:
			looked++
		case http.StatusTooManyRequests:
			answer.wants(t, http.StatusTooManyRequests, "", "you can try again in 5 seconds")
		default:
			t.Fatalf("name %d: %s", n, answer.Status)
		}
	}
	if looked != 60 {
		t.Errorf("%d passwords were looked at, want 60", looked)
	}
	s.from(t, "198.51.100.7").signIn(elm, "dr.lee")
	b.signIn(oak, "dr.lee") // another practice behind the same address
}

func TestSurgeryBehindOneAddressSignsIn_D45(t *testing.T) {
	t.Parallel()
	s := newService(t, behindAProxy)
	for n := range 100 {
		s.from(t, "192.0.2.1").signIn(elm, []string{"dr.lee", "dr.may"}[n%2])
	}
}
