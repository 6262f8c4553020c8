package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk.example/client"
)

const created = `{"noteId":"n-1"}`

var note = client.Note{PatientID: "p-1", Note: "Feels better."}

func TestOnlyRetryableCallsAreRetried_D99(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first answer
		again bool
	}{
		"unavailable":          {refuses(503, "unavailable"), true},
		"rate-limited":         {refuses(429, "rate-limited", "Retry-After", "2"), true},
		"internal error":       {refuses(500, "internal-error"), true},
		"a proxy's":            {says(502, "<html>"), true},
		"cut":                  {cuts, true},
		"still being answered": {refuses(409, "idempotency-key-in-use"), true},
		"the key of another":   {refuses(409, "idempotency-key-reused"), false},
		"paused":               {refuses(400, "request-type-paused", "Retry-After", "2"), false},
		"unauthorized":         {refuses(403, "unauthorized"), false},
		"too slow":             {refuses(408, "request-timeout"), false},
		"limited for the day":  {refuses(429, "rate-limited", "Retry-After", "3600"), false},
		"a proxy's page":       {says(200, "<html>"), true},
		"half an answer":       {says(200, `{"noteId":`), true},
		"no answer":            {says(200, ""), true},
		"no object":            {says(200, "[]"), true},
		"a redirect":           {says(307, "", "Location", "https://evil.example"), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, service := calling(t, c.first, says(200, created))
				got, err := client.CreateNote(t.Context(), note)
				if (err == nil) != c.again || len(service.sent) == 2 != c.again || err == nil && got.NoteID != "n-1" {
					t.Errorf("%d attempts: %v, %v", len(service.sent), got, err)
				}
			})
		})
	}
}

func TestAttemptsShareIdempotencyKey_D99(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, service := calling(t, cuts, refuses(503, "unavailable"), says(200, created))
		for range 2 {
			if _, err := c.CreateNote(t.Context(), note); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.CreateNote(t.Context(), note, client.IdempotencyKey("job-42")); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, call := range service.sent {
			keys = append(keys, call.Header.Get("Idempotency-Key"))
		}
		if len(keys) != 6 || keys[0] == "" || keys[0] != keys[1] || keys[1] != keys[2] || keys[3] == keys[2] || keys[3] == "" || keys[4] != "job-42" || keys[5] != "" {
			t.Errorf("the keys are %q", keys)
		}
		if service.sent[0].body != service.sent[2].body {
			t.Error("another body is sent again")
		}
	})
}

func TestRetryAfterAndAttemptLimit_D99(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, service := calling(t, refuses(503, "unavailable", "Retry-After", "3"))
		elapsed := stopwatch()
		_, err := c.Ping(t.Context())
		var refusal *client.ServiceError
		if !errors.As(err, &refusal) || refusal.Code() != client.CodeUnavailable || refusal.RetryAfter != 3*time.Second || refusal.RequestID != "r-1" || refusal.Status != 503 {
			t.Errorf("it ends with %#v", err)
		}
		if took := elapsed(); len(service.sent) != 5 || took < 12*time.Second || took > 20*time.Second {
			t.Errorf("%d attempts in %v", len(service.sent), took)
		}
	})
}

func TestADeadlineIsKept_D99(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, service := calling(t, refuses(503, "unavailable", "Retry-After", "3"))
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		elapsed := stopwatch()
		var refusal *client.ServiceError
		if _, err := c.Ping(ctx); !errors.As(err, &refusal) || len(service.sent) != 1 || elapsed() != 0 {
			t.Errorf("it waits in vain: %v", err)
		}
		ctx, cancel = context.WithCancel(t.Context())
		go func() { time.Sleep(time.Second); cancel() }()
		if _, err := c.Ping(ctx); err == nil || len(service.sent) != 2 || elapsed() != time.Second {
			t.Errorf("it goes on for %v after it was cancelled: %v", elapsed(), err)
		}
	})
}

func TestACallWithoutADeadlineGetsOne_D99(t *testing.T) {
	t.Parallel()
	silent := transport(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := with(t, func(o *client.Options) { o.Transport = silent })
		elapsed := stopwatch()
		var unreachable *client.UnreachableError
		if _, err := c.Ping(t.Context()); !errors.As(err, &unreachable) || !errors.Is(err, context.DeadlineExceeded) || elapsed() != 2*time.Minute {
			t.Errorf("after %v it says %v", elapsed(), err)
		}
	})
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestOnAnswerReportsEachAttempt_D99(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []client.Answer
		c, _ := with(t, func(o *client.Options) { o.OnAnswer = func(a client.Answer) { told = append(told, a) } },
			cuts, says(200, created, "Idempotent-Replayed", "true", "Warning-Unknown-Fields", "isHighPrioritiy, urgent"))
		if _, err := c.CreateNote(t.Context(), note); err != nil {
			t.Fatal(err)
		}
		if len(told) != 2 || !errors.Is(told[0].Err, io.ErrUnexpectedEOF) || told[0].Status != 0 || told[1].Attempt != 2 ||
			!told[1].Replayed || len(told[1].UnknownFields) != 2 || told[1].UnknownFields[1] != "urgent" || told[1].RequestID != "r-1" {
			t.Errorf("it is told %+v", told)
		}
	})
}

func TestRefusalNamesItsRule_D159(t *testing.T) {
	t.Parallel()
	for rule, needs := range map[string]bool{"user-authorised": true, "patient-in-scope": true, "application-enabled": false, "": false} {
		c, _ := calling(t, refuses(403, "unauthorized", "Frontdesk-Rule", rule))
		var refusal *client.ServiceError
		if _, err := c.Ping(t.Context()); !errors.As(err, &refusal) || refusal.Rule != rule || refusal.NeedsAuthorisation() != needs {
			t.Errorf("%s: %+v", rule, err)
		}
	}
}

func TestNewCodeIsUnrecognised_D99(t *testing.T) {
	t.Parallel()
	for _, first := range []answer{refuses(400, "brand-new"), says(404, "<html>")} {
		c, _ := calling(t, first)
		var refusal *client.ServiceError
		if _, err := c.Ping(t.Context()); !errors.As(err, &refusal) || refusal.Code() != client.Unrecognised {
			t.Errorf("the code is %v", err)
		}
	}
}

func TestPagesAreFetchedOnDemand_D99(t *testing.T) {
	t.Parallel()
	c, service := calling(t,
		says(200, `{"calls":[{"requestId":"a"},{"requestId":"b"}],"next":"older"}`), says(200, `{"calls":[{"requestId":"c"}],"next":null}`))
	var ids string
	for call, err := range c.Calls(t.Context(), client.CallsQuery{Status: "refused", Limit: 2}) {
		if err != nil {
			t.Fatal(err)
		}
		ids += call.RequestID
	}
	if ids != "abc" || service.sent[0].URL.RawQuery != "limit=2&status=refused" || service.sent[1].URL.Query().Get("cursor") != "older" {
		t.Errorf("%q of %v", ids, service.sent[1].URL)
	}
	c, service = calling(t, says(200, `{"deliveries":[{"jti":"a"},{"jti":"b"}],"next":"older"}`))
	for _, err := range c.Deliveries(t.Context(), client.DeliveriesQuery{From: time.Unix(1_800_000_000, 0)}) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	if len(service.sent) != 1 || service.sent[0].URL.Query().Get("from") != "2027-01-15T08:00:00Z" {
		t.Errorf("it asks %v", service.sent[0].URL)
	}
}

func TestCallNamesItsVersion_D159(t *testing.T) {
	t.Parallel()
	c, service := calling(t, says(200, `{}`))
	if _, err := c.Ping(t.Context()); err != nil || service.sent[0].Header.Get("User-Agent") != "frontdesk-client-go/"+client.Version {
		t.Errorf("%v, %q", err, service.sent[0].Header.Get("User-Agent"))
	}
}

// Without a key, a retry would make a call twice.
func TestNothingIsSentUnderAnEmptyKey_D99(t *testing.T) {
	t.Parallel()
	c, service := calling(t, cuts, says(200, created))
	if _, err := c.CreateNote(t.Context(), note, client.IdempotencyKey("")); err == nil || len(service.sent) != 0 {
		t.Errorf("%v, and %d calls are sent", err, len(service.sent))
	}
}

// A handler's context holds no key, so two notes that it makes are two.
func TestOneContextMakesTwoNotes(t *testing.T) {
	t.Parallel()
	c, service := calling(t, says(200, created))
	ctx := t.Context()
	for _, options := range [][]client.CallOption{{client.IdempotencyKey("job-42")}, nil, nil} {
		if _, err := c.CreateNote(ctx, note, options...); err != nil {
			t.Fatal(err)
		}
	}
	first, second, third := service.key(0), service.key(1), service.key(2)
	if first != "job-42" || second == first || third == first || second == third || second == "" || third == "" {
		t.Errorf("the keys are %q, %q and %q", first, second, third)
	}
}

func TestEveryCallTakesOptions(t *testing.T) {
	t.Parallel()
	calls, methods := 0, reflect.TypeFor[*client.Client]()
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		if m.Type.NumIn() < 2 || m.Type.In(1) != reflect.TypeFor[context.Context]() {
			continue
		}
		calls++
		if !m.Type.IsVariadic() || m.Type.In(m.Type.NumIn()-1) != reflect.TypeFor[[]client.CallOption]() {
			t.Errorf("%s takes no options", m.Name)
		}
	}
	if calls < 15 {
		t.Errorf("%d calls are looked at", calls)
	}
}

// Whatever the result of a call, its caller gets the key for a retry.
func TestEveryOutcomeHasItsKey(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]answer{"no answer": cuts, "refused": refuses(503, "unavailable"), "answered": says(200, created)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var heard []client.Answer
				c, service := calling(t, last)
				_, err := c.CreateNote(t.Context(), note, client.OnAnswer(func(a client.Answer) { heard = append(heard, a) }))
				var unreachable *client.UnreachableError
				var refusal *client.ServiceError
				key := heard[0].IdempotencyKey
				switch {
				case errors.As(err, &unreachable):
					key = unreachable.IdempotencyKey
				case errors.As(err, &refusal):
					key = refusal.IdempotencyKey
				}
				if key == "" || key != service.key(0) || key != heard[len(heard)-1].IdempotencyKey || len(heard) != len(service.sent) {
					t.Errorf("the key is %q, and %q was sent: %v", key, service.key(0), err)
				}
			})
		})
	}
}

func TestLostCallIsSentAgainUnderItsKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, service := calling(t, cuts, cuts, cuts, cuts, cuts, says(200, created, "Idempotent-Replayed", "true"))
		_, err := c.CreateNote(t.Context(), note)
		var lost *client.UnreachableError
		if !errors.As(err, &lost) {
			t.Fatal(err)
		}
		var last client.Answer
		made, err := c.CreateNote(t.Context(), note, client.IdempotencyKey(lost.IdempotencyKey), client.OnAnswer(func(a client.Answer) { last = a }))
		if err != nil || made.NoteID != "n-1" || !last.Replayed || service.key(5) != service.key(0) {
			t.Errorf("the keys are %q and %q; %v", service.key(0), service.key(5), err)
		}
	})
}

func TestReadCarriesNoKey(t *testing.T) {
	t.Parallel()
	c, service := calling(t, says(200, `{}`))
	var heard client.Answer
	_, err := c.Ping(t.Context(), client.IdempotencyKey("job-42"), client.OnAnswer(func(a client.Answer) { heard = a }))
	if err != nil || service.key(0) != "" || heard.IdempotencyKey != "" {
		t.Errorf("a GET carries %q: %v", service.key(0), err)
	}
}

func TestTimeoutHoldsBesideADeadline(t *testing.T) {
	t.Parallel()
	silent := transport(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	synctest.Test(t, func(t *testing.T) {
		c, _ := with(t, func(o *client.Options) { o.Transport, o.Timeout = silent, 5*time.Second })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		elapsed := stopwatch()
		var unreachable *client.UnreachableError
		if _, err := c.Ping(ctx); !errors.As(err, &unreachable) || elapsed() != 5*time.Second {
			t.Errorf("after %v: %v", elapsed(), err)
		}
	})
}

func TestOnePageIsOneCall(t *testing.T) {
	t.Parallel()
	c, service := calling(t, says(200, `{"calls":[{"requestId":"r","status":401,"mode":null,"code":null,"durationMs":null,"errors":[{"code":"a","description":"b"}],"userAgent":"curl/8.5.0","replayed":true,"unproven":true}],"next":"older"}`))
	page, err := c.CallsPage(t.Context(), client.CallsQuery{Status: "refused", IdempotencyKey: "k", Limit: 5, Cursor: "here"})
	want := client.JudgedCall{RequestID: "r", Status: 401, Unproven: true, Errors: []client.Problem{{Code: "a", Description: "b"}}, UserAgent: "curl/8.5.0", Replayed: true}
	if err != nil || len(service.sent) != 1 || page.Next != "older" || len(page.Calls) != 1 || !reflect.DeepEqual(page.Calls[0], want) {
		t.Errorf("%d calls: %+v, %v", len(service.sent), page, err)
	}
	if query := service.sent[0].URL.RawQuery; query != "cursor=here&idempotencyKey=k&limit=5&status=refused" {
		t.Errorf("it asks %s", query)
	}
	c, service = calling(t, says(200, `{"deliveries":[],"next":null}`))
	from := time.Date(2026, 7, 1, 12, 0, 0, 5e6, time.UTC)
	deliveries, err := c.DeliveriesPage(t.Context(), client.DeliveriesQuery{JTI: "j", From: from})
	if err != nil || deliveries.Next != "" || service.sent[0].URL.RawQuery != "from=2026-07-01T12%3A00%3A00.005Z&jti=j" {
		t.Errorf("it asks %s: %+v, %v", service.sent[0].URL.RawQuery, deliveries, err)
	}
}

func TestNullsAreZero(t *testing.T) {
	t.Parallel()
	c, _ := calling(t, says(200, `{"url":"http://127.0.0.1/jwks.json","keys":[],"fetchedAt":null,"until":null,"lastFetch":null}`))
	set, err := c.RereadKeySet(t.Context())
	if err != nil || set.URL != "http://127.0.0.1/jwks.json" || !set.FetchedAt.IsZero() || !set.Until.IsZero() || !set.LastFetch.At.IsZero() {
		t.Errorf("%+v, %v", set, err)
	}
}
