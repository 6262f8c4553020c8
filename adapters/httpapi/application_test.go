package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/httpapi/body"
	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/application"
	"frontdesk/projections/applications"
)

// itself is an API for one application, with fakes of its registration.
func itself(t *testing.T, edit func(*httpapi.API)) (*httpapi.API, *commandtest.Store) {
	t.Helper()
	d := &desk{caller: asApplication}
	store := practiceDay(t)
	api := d.api(store)
	api.Desk.CheckURL = func(string) error { return nil }
	id, err := api.Desk.RegisterApplication(t.Context(), commands.RegisterApplication{Name: "Referrals", JWKSURL: "https://app.example/jwks"})
	if err != nil {
		t.Fatal(err)
	}
	d.caller.Application, d.caller.JWKSURL = id, "https://app.example/jwks"
	api.Recognise, api.Rights = proves(d.caller), stays(d.caller)
	api.Now = atWritten
	api.Itself = httpapi.Itself{
		KeySet: func(url string) httpapi.KeySet { return httpapi.KeySet{URL: url, Keys: []httpapi.HeldKey{}} },
		Reread: func(context.Context, string) (bool, error) { return true, nil },
	}
	edit(api)
	return api, store
}

func ask(t *testing.T, handler http.Handler, method, path string) (answer *httptest.ResponseRecorder) {
	t.Helper()
	answer = httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), method, "http://elm-street.frontdesk.example/transactional-api/"+path, http.NoBody))
	return answer
}

// A webhook's URL may have a secret in its query, which a stolen token must not reveal.
func TestApplicationSeesNoWebhookSecrets_D94(t *testing.T) {
	t.Parallel()
	api, _ := itself(t, func(api *httpapi.API) {
		api.Itself.At = func(context.Context, string, application.ID, time.Time) (applications.State, error) {
			return applications.State{Webhooks: []application.WebhookSet{{Event: application.RecordOpened, URL: "https://app.example/hook?key=secret"}}}, nil
		}
	})
	if text := ask(t, api.Handler(), http.MethodGet, "application").Body.String(); strings.Contains(text, "secret") || !strings.Contains(text, `"https://app.example/hook"`) {
		t.Error(text)
	}
}

// Key servers may be slow. A call that fetches its key set again holds no slot and no
// turn, so no other call waits for it.
func TestKeySetRefreshBlocksNoOthers_D94(t *testing.T) {
	t.Parallel()
	reading, release := make(chan struct{}, 32), make(chan struct{})
	api, store := itself(t, func(api *httpapi.API) {
		api.Permits = httpapi.Permits{Slots: 1, Turns: 1, Bodies: 1}
		api.Itself.Reread = func(ctx context.Context, _ string) (bool, error) {
			reading <- struct{}{}
			select {
			case <-release:
				return true, nil
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}
	})
	handler, before := api.Handler(), len(store.Log())
	var callers sync.WaitGroup
	answered := make(chan int, 32)
	for range 32 {
		callers.Go(func() { answered <- ask(t, handler, http.MethodPost, "application/key-set").Code })
		<-reading // it has released its slot for the next call
	}
	if status := ask(t, handler, http.MethodGet, "ping").Code; status != http.StatusOK {
		t.Errorf("a ping meanwhile is answered %d", status)
	}
	close(release)
	callers.Wait()
	close(answered)
	count := map[int]int{}
	for status := range answered {
		count[status]++
	}
	if count[http.StatusOK] > 1 || len(store.Log())-before != count[http.StatusOK] {
		t.Errorf("answered %v; %d events", count, len(store.Log())-before)
	}
}

func TestAKeySetThatIsNotReadLeavesNoMark_D94(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reread func(context.Context, string) (bool, error)
		status int
	}{
		"it cannot be read":     {func(context.Context, string) (bool, error) { return false, nil }, http.StatusOK},
		"too many wait already": {func(context.Context, string) (bool, error) { return false, body.ErrBusy }, http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, store := itself(t, func(api *httpapi.API) { api.Itself.Reread = c.reread })
			before := len(store.Log())
			if answer := ask(t, api.Handler(), http.MethodPost, "application/key-set"); answer.Code != c.status || len(store.Log()) != before {
				t.Errorf("answered %d %s; %d events", answer.Code, answer.Body, len(store.Log())-before)
			}
		})
	}
}

// A repeat within the minute costs the key server no fetch.
func TestWithinTheMinuteNothingIsFetched_D94(t *testing.T) {
	t.Parallel()
	api, _ := itself(t, func(api *httpapi.API) {
		caller := asApplication
		caller.KeySetReread = written.Add(-time.Minute + time.Millisecond)
		api.Recognise, api.Rights = proves(caller), stays(caller)
		api.Itself.Reread = func(context.Context, string) (bool, error) {
			t.Error("the key set is fetched")
			return true, nil
		}
	})
	answer := ask(t, api.Handler(), http.MethodPost, "application/key-set")
	if answer.Code != http.StatusTooManyRequests || answer.Header().Get("Retry-After") != "1" {
		t.Errorf("answered %d %v", answer.Code, answer.Header())
	}
}

// An answer that may be stored for repeats is in the log. So only GET shows a set of a
// hundred long keys in full.
func TestLargeKeySetIsTruncated_D94(t *testing.T) {
	t.Parallel()
	why := strings.Repeat("x", 350)
	large := httpapi.KeySet{LastFetch: &httpapi.KeySetFetch{}}
	for range 100 {
		large.Keys = append(large.Keys, httpapi.HeldKey{Kid: strings.Repeat(`"`, 256)})
		large.LastFetch.Keys = append(large.LastFetch.Keys, httpapi.FoundKey{Kid: strings.Repeat(`"`, 256), Why: &why})
	}
	api, _ := itself(t, func(api *httpapi.API) {
		api.Itself.KeySet = func(string) httpapi.KeySet { return large }
	})
	type counts struct{ held, found int }
	for method, want := range map[string]counts{http.MethodGet: {100, 100}, http.MethodPost: {32, 32}} {
		answer := ask(t, api.Handler(), method, "application/key-set")
		var got struct {
			Keys      []any
			LastFetch struct{ Keys []any }
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, counts{len(got.Keys), len(got.LastFetch.Keys)}, cmp.AllowUnexported(counts{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", method, diff)
		}
		if method == http.MethodPost && answer.Body.Len() > 64<<10 {
			t.Errorf("the answer has %d bytes", answer.Body.Len())
		}
	}
	if len(large.Keys) != 100 || len(large.LastFetch.Keys) != 100 {
		t.Error("what is known was cut, too")
	}
}
