package bearer_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// memory is a desk that stores refusals. Its calls have the request ids 1, 2, 3, …
type memory struct {
	*desk
	now   time.Time
	calls uint64
}

func newMemory(t *testing.T) *memory {
	t.Helper()
	m := &memory{desk: newDesk(t), now: noon}
	m.Unproven = bearer.NewUnproven(func() time.Time { return m.now }, func(context.Context) string { return request(m.calls).String() })
	return m
}

func request(n uint64) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

// call makes a call with a token, and returns its refusal.
func (m *memory) call(t *testing.T, tenant, token string) error {
	t.Helper()
	m.calls++
	prove, err := m.Recognise(t.Context(), []string{"Bearer " + token}, tenant, submit)
	if err == nil {
		_, err = prove(t.Context())
	}
	return err
}

func (m *memory) wantRemembered(t *testing.T, tenant string, want ...access.OwnCall) {
	t.Helper()
	if diff := cmp.Diff(want, m.Unproven.Of(app.ID, tenant)); diff != "" {
		t.Errorf("remembered at %s (-want +got):\n%s", tenant, diff)
	}
}

func (m *memory) unproven(n uint64, rule access.Rule, reason string) access.OwnCall {
	return access.OwnCall{
		RequestID: request(n), At: m.now, Endpoint: access.CreatePatientRequest, Status: http.StatusForbidden,
		Code: "unauthorized", Reason: reason, Rule: rule, Unproven: true,
	}
}

// The tokens of another application's key, with this one's name.
func forged() string {
	stranger := app
	stranger.Key = bearertest.StrangersKey()
	return stranger.Token(noon)
}

// expired is an unsigned token that names an application.
func expired(id application.ID) string {
	encode := base64.RawURLEncoding.EncodeToString
	claims := fmt.Sprintf(`{"iss":%[1]q,"sub":%[1]q,"iat":%[2]d,"exp":%[2]d}`, id.String(), noon.Add(-time.Hour).Unix())
	return encode([]byte(`{"alg":"RS256","typ":"JWT","kid":"k"}`)) + "." + encode([]byte(claims)) + ".AAAA"
}

func TestRefusalsAreStoredForNamedApplication_D95(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	for _, token := range []string{
		app.Token(noon.Add(-time.Hour)),                  // before this process has seen the application
		forged(),                                         // its registration is known from now on
		app.Token(noon.Add(time.Hour)),                   //
		app.Token(noon, bearertest.Header("kid", "k-9")), //
		app.Token(noon, bearertest.Without("exp")),
		app.Token(noon), // is right, and in the access record
		"junk", "",      // name no application
	} {
		_ = m.call(t, "elm-street", token)
	}
	_ = m.call(t, "oak-lane", app.Token(noon.Add(-time.Hour)))
	_ = m.call(t, strings.Repeat("o", 64), forged())
	m.wantRemembered(t, "elm-street",
		m.unproven(5, "claim-missing", "JWT is missing the exp claim"),
		m.unproven(4, "unknown-key", "Invalid JWT: no key with this kid"),
		m.unproven(3, "future", "Invalid JWT: the token was issued in the future; is your clock fast?"),
		m.unproven(2, "signature", "Invalid JWT: the signature check failed for the key that kid names"),
		m.unproven(1, "expired", "Invalid JWT: the token has expired; is your clock slow?"))
	m.wantRemembered(t, "oak-lane", m.unproven(9, "expired", "Invalid JWT: the token has expired; is your clock slow?"))
	m.wantRemembered(t, strings.Repeat("o", 64))
	if got := m.Unproven.Of(application.ID{UUID: uuid.Max}, "elm-street"); got != nil {
		t.Errorf("another application is shown %+v", got)
	}
}

// Nothing else in a token is stored.
func TestNothingOfATokenIsRemembered_D95(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	const secret = "Ann-Archer"
	for _, edit := range []bearertest.Edit{
		bearertest.Header("alg", secret), bearertest.Header("typ", secret), bearertest.Header("kid", secret), bearertest.Header("crit", secret), bearertest.Header("jwk", secret),
		bearertest.Claim("sub", secret), bearertest.Claim("azp", secret), bearertest.Claim("exp", secret), bearertest.Claim("iat", 123456789), bearertest.Claim("exp", 123456789),
		bearertest.Claim("nbf", 1234567890123), bearertest.Claim("iat", 1234567890123), bearertest.Claim("act", secret),
		bearertest.Claim("act", map[string]any{"practitioner": map[string]any{"name": secret, "email": secret}}), bearertest.Claim(secret, secret),
	} {
		_ = m.call(t, "elm-street", app.Token(noon, edit))
	}
	found := m.Unproven.Of(app.ID, "elm-street")
	for _, call := range found {
		text := fmt.Sprintf("%+v", call)
		if strings.Contains(text, secret) || strings.Contains(text, "123456789") || call.Rule == "other" {
			t.Errorf("remembered is %s", text)
		}
	}
	if len(found) < 10 {
		t.Errorf("%d are remembered", len(found))
	}
}

// A flood that names one application changes nothing for another, makes no additional
// query, and fills only its ring.
func TestAFloodCrowdsOutNothingElse_D95(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	other := bearertest.NewApplication(application.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-0000000000bb")})
	if err := m.call(t, "elm-street", app.Token(noon)); err != nil {
		t.Fatal(err)
	}
	_ = m.call(t, "elm-street", app.Token(noon.Add(-time.Hour)))
	asked := len(m.claims)
	for n := range uint64(3000) {
		_ = m.call(t, "elm-street", expired(other.ID))
		_ = m.call(t, "elm-street", expired(application.ID{UUID: request(n)}))
	}
	if len(m.claims) != asked {
		t.Errorf("the database was asked %d times", len(m.claims)-asked)
	}
	m.wantRemembered(t, "elm-street", m.unproven(2, "expired", "Invalid JWT: the token has expired; is your clock slow?"))
	if got := m.Unproven.Of(other.ID, "elm-street"); len(got) > 500 || len(got) == 0 {
		t.Errorf("%d of a name that nobody had are remembered", len(got))
	}
	first := m.calls
	for range 600 {
		_ = m.call(t, "elm-street", expired(app.ID))
	}
	got := m.Unproven.Of(app.ID, "elm-street")
	if len(got) != 500 || got[0].RequestID != request(first+600) || got[499].RequestID != request(first+101) {
		t.Errorf("%d are remembered, from %s", len(got), got[0].RequestID)
	}
}

func TestARefusalIsForgottenAfterADay_D95(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	_ = m.call(t, "elm-street", forged())
	kept := m.unproven(1, "signature", "Invalid JWT: the signature check failed for the key that kid names")
	m.now = noon.Add(24 * time.Hour)
	m.wantRemembered(t, "elm-street", kept)
	m.now = m.now.Add(time.Millisecond)
	m.wantRemembered(t, "elm-street")
	_ = m.call(t, "elm-street", forged()) // sweeps
	m.wantRemembered(t, "elm-street", m.unproven(2, kept.Rule, kept.Reason))
}

func TestAnErrorOfOursIsNoRefusal_D95(t *testing.T) {
	t.Parallel()
	m := newMemory(t)
	m.err = errors.New("the database is away")
	if err := m.call(t, "elm-street", app.Token(noon)); !errors.Is(err, m.err) {
		t.Error(err)
	}
	m.wantRemembered(t, "elm-street")
}

// The limit in docs/privacy/retention.md: a full ring takes at most 32 KiB.
func TestAFullRingIsSmall_D95(t *testing.T) { //nolint:paralleltest // it measures the heap
	m := newMemory(t)
	const names = 50
	before := heap()
	for n := range uint64(names) {
		id := application.ID{UUID: request(n)}
		token := expired(id)
		m.Unproven.Of(id, "elm-street")
		for range 600 {
			_ = m.call(t, "elm-street", token)
		}
	}
	grown := heap() - before
	runtime.KeepAlive(m)
	if each := grown / names; each > 32<<10 {
		t.Errorf("a ring takes %d bytes", each)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// BenchmarkRefusal compares the cost of a refusal that is stored with one that is not.
func BenchmarkRefusal(b *testing.B) {
	token := []string{"Bearer " + app.Token(noon.Add(-time.Hour))}
	for name, unproven := range map[string]*bearer.Unproven{
		"forgotten": nil, "remembered": bearer.NewUnproven(func() time.Time { return noon }, func(context.Context) string { return request(1).String() }),
	} {
		b.Run(name, func(b *testing.B) {
			a := bearer.Authenticator{Now: func() time.Time { return noon }, Unproven: unproven}
			for b.Loop() {
				if _, err := a.Recognise(b.Context(), token, "elm-street", submit); err == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}
