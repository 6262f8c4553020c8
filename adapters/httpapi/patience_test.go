package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
)

// witness is an API whose rights can be revoked, and the calls that it recorded.
type witness struct {
	counter
	mu      sync.Mutex
	asked   int // for rights, again
	revoked bool
	closed  bool
	calls   []access.Call
}

func (p *witness) api() *httpapi.API {
	p.caller = proven(asApplication)
	api := p.counter.api()
	api.Rights = func(ctx context.Context, _ access.Claim, _ time.Time) (access.Rights, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if ctx.Err() != nil {
			return access.Rights{}, ctx.Err()
		}
		p.asked++
		rights := p.caller.Rights
		rights.Enabled = !p.revoked
		off := practice.Intake{SwitchedOff: p.closed}
		rights.Receptions = practice.Receptions{Zone: time.UTC, Intakes: map[request.Type]practice.Intake{request.Medical: off}}
		return rights, nil
	}
	api.Record = func(call access.Call) { p.calls = append(p.calls, call) }
	return api
}

func TestRightsAreAskedAgainAfterALongBody_D44(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		takes           time.Duration
		revoked, closed bool
		asked, status   int
		reason          string
	}{
		"a quick body":                      {2 * time.Second, true, true, 0, http.StatusOK, ""}, // as if it had arrived a moment before
		"a long body":                       {2*time.Second + 1, false, false, 1, http.StatusOK, ""},
		"a long body, and rights are ended": {2*time.Second + 1, true, true, 1, http.StatusForbidden, "The app has not been granted access to this tenant"},
		"a long body, and nobody is there":  {2*time.Second + 1, false, true, 1, http.StatusBadRequest, practice.ErrTypeDisabled.Detail},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &witness{}
				client := serve(t, p.api()).dial(t)
				begun, body := clock.System(), cough(jpeg("x.jpg", httpapitest.Noise(1, 300<<10)))
				client.send(t, head(len(body))+body[:len(body)-1])
				time.Sleep(test.takes)
				p.mu.Lock()
				p.revoked, p.closed = test.revoked, test.closed
				p.mu.Unlock()
				client.send(t, body[len(body)-1:])
				answer := client.answer(t)
				synctest.Wait()
				if answer.Code != test.status || p.asked != test.asked {
					t.Errorf("answered %d %s; rights were asked for %d times more", answer.Code, answer.Body, p.asked)
				}
				p.wantLine(t, answer.Code, test.reason, begun.Add(time.Duration(test.asked)*test.takes))
				if refused := test.status != http.StatusOK; refused == (len(p.taken) == 1) || len(p.Discarded) != 1 {
					t.Errorf("taken %v, discarded %v", p.taken, p.Discarded)
				}
				client.send(t, head(2)+"{}")
				client.answer(t) // the connection serves on
			})
		})
	}
}

// wantLine wants one line in the access record: with the refusal, or without one.
func (p *witness) wantLine(t *testing.T, status int, reason string, at time.Time) {
	t.Helper()
	if len(p.calls) != 1 {
		t.Fatalf("recorded %+v", p.calls)
	}
	if line := p.calls[0]; line.Status != status || line.Reason != reason || line.Patient != ann || !line.At.Equal(at.UTC().Truncate(time.Microsecond)) {
		t.Errorf("recorded %+v, want %d %q at %s", line, status, reason, at)
	}
}

func TestABodyHasAnEnd_D44(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &witness{}
		client := serve(t, c.api()).dial(t)
		body := cough(jpeg("large.jpg", httpapitest.Noise(1, 7<<20)))
		begun := clock.Start()
		var sending sync.WaitGroup
		sending.Go(func() { // at the pace, until the server stops reading
			_, err := io.WriteString(client, head(len(body)))
			for rest := body; err == nil && len(rest) > 0; {
				n := min(len(rest), 64<<10)
				_, err = io.WriteString(client, rest[:n])
				rest = rest[n:]
				time.Sleep(9 * time.Second)
			}
		})
		answer := client.answer(t)
		wantAnswer(t, answer, http.StatusRequestTimeout, "request-timeout")
		if !strings.Contains(answer.Body.String(), "The body must have arrived within 15 minutes.") {
			t.Errorf("told %s", answer.Body)
		}
		if took := begun.Elapsed(); took != 15*time.Minute {
			t.Errorf("answered after %s", took)
		}
		client.wantClosed(t)
		sending.Wait()
		if len(c.Discarded) != 1 || len(c.taken) > 0 {
			t.Errorf("discarded %v, taken %v", c.Discarded, c.taken)
		}
	})
}

// A call may take a minute after its body has arrived, while its client waits.
func TestAClientMayWaitForItsAnswer_D19(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication, appending: func() { time.Sleep(50 * time.Second) }}
		client := serve(t, c.api()).dial(t)
		client.send(t, head(len(cough()))+cough())
		wantAnswer(t, client.answer(t), http.StatusOK)
	})
}

// There is no limit on the wait for keys.
func TestContinueWaitsForKeys_D44(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication}
		api := c.api()
		api.Recognise = func(ctx context.Context, _ []string, tenant string, e access.Endpoint) (func(context.Context) (access.Caller, error), error) {
			prove, err := proves(asApplication)(ctx, nil, tenant, e)
			return func(ctx context.Context) (access.Caller, error) { time.Sleep(15 * time.Second); return prove(ctx) }, err
		}
		client := serve(t, api).dial(t)
		client.send(t, head(len(cough()), "Expect: 100-continue"))
		if line, _ := client.answers.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("told %q", line)
		}
		_, _ = client.answers.ReadString('\n')
		client.send(t, cough())
		wantAnswer(t, client.answer(t), http.StatusOK)
	})
}

func TestAnApplicationMaySendSoMuchADay_D19(t *testing.T) {
	t.Parallel()
	c, now := &counter{}, written
	api := crowd(c, httpapi.Permits{})
	api.Now = func() time.Time { return now }
	api.Bytes = admission.NewRateLimiter[application.ID](24_000, 24*time.Hour, api.Now)
	handler := api.Handler()
	send := func(name string, length int) *httptest.ResponseRecorder {
		body := cough() + strings.Repeat(" ", length-len(cough()))
		answer := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/transactional-api/create-patient-request", strings.NewReader(body))
		r.Header.Set("Authorization", name)
		handler.ServeHTTP(answer, r)
		return answer
	}
	wantAnswer(t, send("greedy", 18_000), http.StatusOK)
	for range 2 { // a refused body is not charged
		answer := send("greedy", 9_000)
		wantAnswer(t, answer, http.StatusTooManyRequests, "rate-limited")
		wantErrors(t, answer, "rate-limited: The application has sent as many bytes as it may in a day. Try again later.")
		if got := answer.Header().Get("Retry-After"); got != "10800" { // 3,000 bytes are missing: 3 h
			t.Errorf("Retry-After: %s", got)
		}
	}
	wantAnswer(t, send("honest", 24_000), http.StatusOK)
	wantAnswer(t, send("greedy", 6_000), http.StatusOK)
	now = now.Add(3 * time.Hour)
	wantAnswer(t, send("greedy", 3_000), http.StatusOK)
	wantAnswer(t, send("greedy", 1_000), http.StatusTooManyRequests, "rate-limited")
}

// A body over the maximum is too large, whatever is left of the day's bytes.
func TestLargeBodyIsRefusedWithEmptyBudget_D19(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication}
		api := c.api()
		api.Bytes = admission.NewRateLimiter[application.ID](1<<30, 24*time.Hour, clock.System)
		w := serve(t, api)
		first := w.dial(t)
		first.send(t, head(2)+"{}")
		if got := first.answer(t).Code; got != http.StatusBadRequest {
			t.Errorf("status %d", got)
		}
		second := w.dial(t)
		second.send(t, head(1<<30))
		wantAnswer(t, second.answer(t), http.StatusRequestEntityTooLarge, "request-too-large")
	})
}

// A chunked body has no declared length.
func TestChunksAreCountedAsTheyCome_D19(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &counter{caller: asApplication}
		api := c.api()
		api.Bytes = admission.NewRateLimiter[application.ID](2000, 24*time.Hour, clock.System)
		client := serve(t, api).dial(t)
		client.send(t, strings.TrimSuffix(chunkedHead, "\r\n")+"\r\n")
		piece := strings.Repeat(" ", 1000)
		var sending sync.WaitGroup
		sending.Go(func() {
			for range 4 {
				_, _ = io.WriteString(client, strconv.FormatInt(int64(len(piece)), 16)+"\r\n"+piece+"\r\n")
			}
			_, _ = io.WriteString(client, "0\r\n\r\n")
		})
		answer := client.answer(t)
		wantAnswer(t, answer, http.StatusTooManyRequests, "rate-limited")
		if seconds, _ := strconv.Atoi(answer.Header().Get("Retry-After")); seconds < 1 || seconds > 24*3600 {
			t.Errorf("Retry-After: %d s", seconds)
		}
		sending.Wait()               // the answer comes before the rest of the body has been read
		client.send(t, head(2)+"{}") // the connection serves on
		wantAnswer(t, client.answer(t), http.StatusTooManyRequests, "rate-limited")
	})
}
