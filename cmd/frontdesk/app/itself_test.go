package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// rotating is an application on two replicas, with a key that it has and one that it
// rotates to.
type rotating struct {
	here, there *desk
	keys        *bearertest.Server
	old, fresh  bearertest.Application
}

func newRotating(t *testing.T) *rotating {
	t.Helper()
	r := &rotating{here: open(t), keys: bearertest.NewServer(nil)}
	t.Cleanup(r.keys.Close)
	r.there = replica(t, r.here.DB)
	id, err := r.here.Desk.RegisterApplication(t.Context(), commands.RegisterApplication{Name: "Rotating", JWKSURL: r.keys.URL})
	must(t, err)
	must(t, r.here.Desk.EnableApplication(t.Context(), commands.EnableApplication{Tenant: "elm-street", Application: id}))
	r.old = bearertest.NewApplication(id)
	r.fresh = bearertest.Application{ID: id, Kid: "fresh", Key: bearertest.StrangersKey()}
	r.keys.Publish(r.old.JWKS())
	return r
}

// wantPing fails unless a replica answers a ping of the application with a status.
func (r *rotating) wantPing(t *testing.T, d *desk, as bearertest.Application, want int, when string) {
	t.Helper()
	if got, _ := d.call(t, as.Token(d.Desk.Now())); got != want {
		t.Errorf("%s, with the key %s: answered %d, want %d", when, as.Kid, got, want)
	}
}

// reread asks a replica to read the key set again, and returns the status and the
// outcome of the last fetch.
func reread(t *testing.T, a *app.App, as bearertest.Application) (status int, outcome string) {
	t.Helper()
	call, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.URL()+"/transactional-api/application/key-set", http.NoBody)
	must(t, err)
	call.Header.Set("Authorization", "Bearer "+as.Token(a.Desk.Now()))
	response, err := http.DefaultClient.Do(call)
	must(t, err)
	defer response.Body.Close()
	var body struct{ LastFetch struct{ Outcome string } }
	must(t, json.NewDecoder(response.Body).Decode(&body))
	return response.StatusCode, body.LastFetch.Outcome
}

// A replica that has had no call, and whose copy of the old set has an hour left, no longer
// uses it.
func TestAKeySetIsReadAgainOnEveryReplica_D94(t *testing.T) {
	t.Parallel()
	r := newRotating(t)
	r.wantPing(t, r.here, r.old, http.StatusOK, "at first")
	r.wantPing(t, r.there, r.old, http.StatusOK, "at first, elsewhere")
	r.keys.Publish(r.fresh.JWKS())
	r.wantPing(t, r.there, r.old, http.StatusOK, "within the hour")
	r.wantPing(t, r.there, r.fresh, http.StatusForbidden, "within the hour")

	if status, outcome := reread(t, r.here.App(), r.old); status != http.StatusOK || outcome != "read" {
		t.Fatalf("answered %d, %s", status, outcome)
	}
	for _, d := range []*desk{r.there, r.here} {
		r.wantPing(t, d, r.old, http.StatusForbidden, "read again")
		r.wantPing(t, d, r.fresh, http.StatusOK, "read again")
	}
	if status, _ := reread(t, r.there.App(), r.fresh); status != http.StatusTooManyRequests {
		t.Errorf("a second time within the minute, elsewhere: answered %d", status)
	}
}

// A stolen token and a failure of the key server do not harm the application: no replica
// drops its keys.
func TestRereadOfUnreachableKeySetHarmsNoReplica_D94(t *testing.T) {
	t.Parallel()
	r := newRotating(t)
	r.wantPing(t, r.here, r.old, http.StatusOK, "at first")
	r.wantPing(t, r.there, r.old, http.StatusOK, "at first, elsewhere")
	r.keys.Fail(http.StatusInternalServerError)
	for range 3 {
		if status, outcome := reread(t, r.here.App(), r.old); status != http.StatusOK || outcome != "unreachable" {
			t.Errorf("answered %d, %s", status, outcome)
		}
	}
	r.wantPing(t, r.here, r.old, http.StatusOK, "while the key server is down")
	r.wantPing(t, r.there, r.old, http.StatusOK, "while the key server is down, elsewhere")
}

func TestConcurrentKeySetRefreshesFetchOnce_D94(t *testing.T) {
	t.Parallel()
	r := newRotating(t)
	var callers sync.WaitGroup
	var mu sync.Mutex
	answered := map[int]int{}
	for n := range 16 {
		callers.Go(func() {
			status, _ := reread(t, []*desk{r.here, r.there}[n%2].App(), r.old)
			mu.Lock()
			defer mu.Unlock()
			answered[status]++
		})
	}
	callers.Wait()
	if answered[http.StatusOK] != 1 || answered[http.StatusTooManyRequests] != 15 {
		t.Errorf("answered %v", answered)
	}
	stream := application.RereadStream(r.old.ID, r.here.Desk.Now())
	if events, err := commands.Version(t.Context(), r.here.Desk.Store, stream); err != nil || events != 1 {
		t.Errorf("%d events, %v", events, err)
	}
}

// The answers to an application's queries about itself contain no name, address or identifier
// of a patient or a member of staff.
func TestOwnDataOfApplicationNamesNoPerson_D94(t *testing.T) {
	t.Parallel()
	b, ann := newBusy(t)
	member, err := b.Desk.RegisterStaff(t.Context(), commands.RegisterStaff{Tenant: "elm-street", Username: "dr.lee", Name: "Dr Lee", Email: "lee@elm.example"})
	must(t, err)
	_, err = b.Desk.GrantUserAuthorisation(t.Context(), commands.GrantUserAuthorisation{Tenant: "elm-street", Application: b.caller.ID, Username: "dr.lee"})
	must(t, err)
	for _, endpoint := range access.Endpoints() {
		if !endpoint.AboutItself {
			continue
		}
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			answer := b.answer(t, method, string(endpoint.Name), `{"event":"record.opened"}`)
			for _, secret := range []string{ann, "Archer", "dr.lee", "Dr Lee", "lee@elm.example", member.String()} {
				if strings.Contains(answer, secret) {
					t.Errorf("%s %s contains %s: %s", method, endpoint.Name, secret, answer)
				}
			}
		}
	}
}
