package httpapi_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// crowd is an API whose callers are named in the Authorization header. One named slow
// waits for its keys until the limit.
func crowd(c *counter, permits httpapi.Permits) *httpapi.API {
	api := c.api()
	api.Permits = permits
	api.Recognise = func(_ context.Context, authorization []string, _ string, endpoint access.Endpoint) (func(context.Context) (access.Caller, error), error) {
		caller := asApplication
		caller.Endpoint, caller.Application = endpoint, named(authorization[0])
		return func(ctx context.Context) (access.Caller, error) {
			if authorization[0] == "slow" {
				<-ctx.Done()
			}
			return caller, ctx.Err()
		}, nil
	}
	return api
}

// named is the application with a name.
func named(name string) application.ID {
	return application.ID{UUID: uuid.NewSHA1(uuid.NameSpaceDNS, []byte(name))}
}

// as returns the head of a call by an application.
func as(name string, length int, more ...string) string {
	return head(length, append(more, "Authorization: "+name)...)
}

// wantServed makes a valid call of an application on a connection of its own.
func wantServed(t *testing.T, w *wire, name string) {
	t.Helper()
	c := w.dial(t)
	c.send(t, as(name, len(cough()))+cough())
	wantAnswer(t, c.answer(t), http.StatusOK)
}

// wantShare wants the refusal of a caller that has used up its share.
func wantShare(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	wantAnswer(t, answer, http.StatusServiceUnavailable, "unavailable")
	if answer.Header().Get("Retry-After") != "1" || !strings.Contains(answer.Body.String(), "Too many of your calls are in flight. Wait for their answers before you make more.") {
		t.Errorf("told %v %s", answer.Header(), answer.Body)
	}
}

func TestStalledBodiesLeaveRoomForOthers_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		w := serve(t, crowd(c, httpapi.Permits{Slots: 2, Bodies: 4}))
		var greedy []*client
		for n := range 10 {
			greedy = append(greedy, w.dial(t))
			greedy[n].send(t, as("greedy", len(cough())))
			synctest.Wait()
			wantServed(t, w, "honest")
		}
		for _, refused := range greedy[3:] { // 3 of 4 permits are the share of a single holder
			wantShare(t, refused.answer(t))
			refused.send(t, cough()) // is thrown away
		}
		for _, reading := range greedy[:3] {
			reading.send(t, cough())
			wantAnswer(t, reading.answer(t), http.StatusOK)
		}
		for _, again := range greedy { // each connection works as before
			again.send(t, as("greedy", len(cough()))+cough())
			wantAnswer(t, again.answer(t), http.StatusOK)
		}
	})
}

func TestWaitingForKeysHoldsNoSlot_D44(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, crowd(&counter{}, oneByOne))
		var waiting []*client
		for n := range 100 {
			waiting = append(waiting, w.dial(t))
			waiting[n].send(t, as("slow", 0))
			synctest.Wait()
		}
		wantServed(t, w, "honest")
		for _, c := range waiting {
			wantAnswer(t, c.answer(t), http.StatusServiceUnavailable, "unavailable")
		}
	})
}

// wantHeld makes a call that holds its slot until the test releases it.
func wantHeld(t *testing.T, c *counter, w *wire) (held *client, release chan struct{}) {
	t.Helper()
	held, release = w.dial(t), make(chan struct{})
	c.appending = func() { <-release }
	held.send(t, as("busy", len(cough()))+cough())
	synctest.Wait()
	return held, release
}

func TestBusyServiceRefusesCalls_D9(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		w := serve(t, crowd(c, oneByOne))
		first, release := wantHeld(t, c, w)
		second := w.dial(t)
		second.send(t, as("other", len(cough()))+cough())
		answer := second.answer(t)
		wantAnswer(t, answer, http.StatusServiceUnavailable, "unavailable")
		wantErrors(t, answer, "unavailable: The service has too many calls to answer. Try again shortly.")
		if answer.Header().Get("Retry-After") == "" || answer.Header().Get("X-Request-Id") == "" {
			t.Errorf("headers %v", answer.Header())
		}
		close(release)
		wantAnswer(t, first.answer(t), http.StatusOK)
		second.send(t, as("other", len(cough()))+cough())
		wantAnswer(t, second.answer(t), http.StatusOK)
	})
}

// A flood of refusals would otherwise log as many equal lines.
func TestUnavailabilityIsLoggedOncePerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := &counter{}, &lines{}
		api := crowd(c, oneByOne)
		api.Log, api.Now = slog.New(slog.NewTextHandler(log, nil)), clock.System
		w := serve(t, api)
		_, release := wantHeld(t, c, w)
		defer close(release)
		for second := range 2 {
			for range 10 {
				late := w.dial(t)
				late.send(t, as("other", len(cough()))+cough())
				wantAnswer(t, late.answer(t), http.StatusServiceUnavailable, "unavailable")
			}
			synctest.Wait()
			if got := strings.Count(log.text.String(), "call could not be served"); got != second+1 {
				t.Errorf("in second %d there are %d lines", second+1, got)
			}
			time.Sleep(time.Second)
		}
		if got := strings.Count(log.text.String(), "msg=call "); got != 20 {
			t.Errorf("%d calls have lines of their own, want 20", got)
		}
	})
}

// However many calls of one caller wait, another's is served soon.
func TestCallersTakeTurns_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, release := &counter{}, make(chan struct{})
		var wait func()
		wait = func() {
			c.next(wait)
			<-release
		}
		c.next(wait)
		handler := crowd(c, httpapi.Permits{Turns: 1}).Handler()
		call := func(name, source string) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/transactional-api/create-patient-request", strings.NewReader(cough()))
			r.Header.Set("Authorization", name)
			r.RemoteAddr = source + ":1"
			go handler.ServeHTTP(httptest.NewRecorder(), r)
			synctest.Wait()
		}
		for range 20 {
			call("greedy", "192.0.2.1")
		}
		call("honest", "192.0.2.2")
		for range 21 { // one by one, so that none is late because its goroutine did not run
			release <- struct{}{}
			synctest.Wait()
		}
		at := slices.IndexFunc(c.taken, func(r takenRequest) bool { return r.by == named("honest").String() })
		if len(c.taken) != 21 || at < 0 || at > 3 {
			t.Errorf("of %d calls, the other caller's was number %d", len(c.taken), at+1)
		}
	})
}

func TestPublicCallsTakeNoSlot_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		api := crowd(c, oneByOne)
		api.SigningKeys = theKeySet
		w := serve(t, api)
		held, release := wantHeld(t, c, w)
		for path, want := range map[string]int{
			"GET /transactional-api/jwks": 200, "GET /transactional-api/openapi.json": 200,
			"GET /transactional-api/nowhere": 404, "DELETE /transactional-api/ping": 405,
		} {
			client := w.dial(t)
			client.send(t, path+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
			if answer := client.answer(t); answer.Code != want {
				t.Errorf("%s is answered %d, want %d", path, answer.Code, want)
			}
		}
		close(release)
		wantAnswer(t, held.answer(t), http.StatusOK)
	})
}

func TestKeySetsAreBoundedPerSource_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := crowd(&counter{}, httpapi.Permits{KeySets: 2})
		release := make(chan struct{})
		api.SigningKeys = func(ctx context.Context) ([]byte, error) { <-release; return theKeySet(ctx) }
		w := serve(t, api)
		var asking []*client
		for n := range 3 {
			asking = append(asking, w.dial(t))
			asking[n].send(t, "GET /transactional-api/jwks HTTP/1.1\r\nHost: localhost\r\n\r\n")
			synctest.Wait()
		}
		wantAnswer(t, asking[2].answer(t), http.StatusServiceUnavailable, "unavailable")
		close(release)
		for _, c := range asking[:2] {
			wantAnswer(t, c.answer(t), http.StatusOK)
		}
	})
}

// Reading the rest of a body that was answered early is limited to some calls.
func TestRestsAreBounded_D1(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := refusing(&counter{})
		api.Permits = httpapi.Permits{Rests: 1}
		w := serve(t, api)
		begun := clock.Start()
		first, second := w.dial(t), w.dial(t)
		for n, c := range []*client{first, second} {
			c.send(t, head(100))
			wantAnswer(t, c.answer(t), http.StatusForbidden, "unauthorized")
			synctest.Wait()
			if n == 1 {
				c.wantClosed(t)
				if took := begun.Elapsed(); took != 0 {
					t.Errorf("the second is closed after %s", took)
				}
			}
		}
		first.send(t, strings.Repeat(" ", 100)+head(0))
		wantAnswer(t, first.answer(t), http.StatusForbidden, "unauthorized")
	})
}
