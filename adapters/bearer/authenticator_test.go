package bearer_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

// People and operations.
var (
	ann   = staff.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000a")}
	child = patient.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000c")}
	until = noon.Add(time.Hour)

	submit = access.Endpoint{Name: access.CreatePatientRequest, NamesPatient: true}
)

// desk is an Authenticator whose database and publisher a test can change.
type desk struct {
	bearer.Authenticator
	server *bearertest.Server
	rights access.Rights // of app, without its URL; other applications are unknown
	claims []access.Claim
	err    error // of the database
}

// newDesk has app, which may do everything for itself and for ann.
func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{server: keyServer(t)}
	d.rights = access.Rights{
		Known: true, JWKSURL: d.server.URL, Enabled: true, Granted: true, Staff: ann, AuthorisedUntil: until,
	}
	d.Authenticator = bearer.Authenticator{Rights: d, Keys: guardedCache(t, loopback), Now: func() time.Time { return noon }, RealNow: func() time.Time { return noon }}
	return d
}

func (d *desk) Rights(_ context.Context, claim access.Claim, now time.Time) (access.Rights, error) {
	d.claims = append(d.claims, claim)
	if !now.Equal(noon) || claim.Application != app.ID {
		return access.Rights{}, d.err
	}
	return d.rights, d.err
}

// call is a call with one Authorization header.
func (d *desk) call(t *testing.T, token string, op access.Endpoint) (access.Caller, error) {
	t.Helper()
	return d.authenticate(t.Context(), []string{"Bearer " + token}, op)
}

// authenticate makes both steps.
func (d *desk) authenticate(ctx context.Context, authorisation []string, op access.Endpoint) (access.Caller, error) {
	prove, err := d.Recognise(ctx, authorisation, "high-street", op)
	if err != nil {
		return access.Caller{}, err
	}
	return prove(ctx)
}

func TestAnApplicationIsLetIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	token := app.Token(noon)
	caller, err := d.call(t, token, submit)
	if err != nil {
		t.Fatal(err)
	}
	claim := access.Claim{
		Tenant: "high-street", Application: app.ID, Endpoint: submit, Mode: application.ApplicationRestricted,
	}
	want := access.Caller{Claim: claim, Rights: d.rights, TokenHash: sha256.Sum256([]byte(token))}
	if diff := cmp.Diff(want, caller); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]access.Claim{claim}, d.claims); diff != "" {
		t.Error(diff)
	}
}

func TestAUserIsLetIn(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.rights.Patients = []patient.ID{child}
	token := app.Token(noon, as("ann"))
	caller, err := d.call(t, token, submit)
	if err != nil {
		t.Fatal(err)
	}
	want := access.Caller{
		Claim: access.Claim{
			Tenant: "high-street", Application: app.ID, Endpoint: submit, Mode: application.UserRestricted, Username: "ann",
		},
		Rights: d.rights, TokenHash: sha256.Sum256([]byte(token)),
	}
	if diff := cmp.Diff(want, caller); diff != "" {
		t.Error(diff)
	}
	if got := d.claims[0].Username; got != "ann" {
		t.Errorf("asked for the rights of %q", got)
	}
}

func TestTheAuthorizationHeaderHasOneForm(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	token := app.Token(noon)
	for _, right := range []string{"Bearer " + token, "bearer " + token, "BEARER   " + token} {
		if _, err := d.authenticate(t.Context(), []string{right}, submit); err != nil {
			t.Errorf("%.10q: %v", right, err)
		}
	}
	_, err := d.authenticate(t.Context(), nil, submit)
	refused(t, err, "Missing Authorization header")
	for _, wrong := range [][]string{
		{""}, {"Bearer"}, {"Bearer "}, {token}, {"Basic " + token}, {"Bearer" + token}, {"Bearer\t" + token}, {" Bearer " + token},
		{"Bearer " + token + " "}, {"Bearer " + token + ", Bearer " + token}, {"Bearer " + token + "\x7f"}, {"Bearer té"},
		{"Bearer " + token, "Bearer " + token}, {"Bearer " + token, ""},
	} {
		_, err := d.authenticate(t.Context(), wrong, submit)
		refused(t, err, "Invalid Authorization format")
	}
}

func TestJunkCostsNeitherAQueryNorAFetch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, junk := range []string{"junk", app.Token(noon.Add(-time.Hour)), app.Token(noon, header("alg", "none")), app.Token(noon, claim("iss", "x"), claim("sub", "x"))} {
		if _, err := d.call(t, junk, submit); err == nil {
			t.Errorf("%.20s is let in", junk)
		}
	}
	if len(d.claims) != 0 || d.server.Fetches() != 0 {
		t.Errorf("%d queries, %d fetches", len(d.claims), d.server.Fetches())
	}
}

func TestAnUnknownApplicationIsNotFetchedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := app.ID.String()
	for _, iss := range []string{other.ID.String(), uuid.Nil.String(), "service", "acme", strings.ToUpper("0198abcd-0000-7000-8000-000000000001"), "urn:uuid:" + id, "{" + id + "}", strings.ReplaceAll(id, "-", "")} {
		_, err := d.call(t, app.Token(noon, claim("iss", iss), claim("sub", iss)), submit)
		refused(t, err, "Invalid JWT: iss is not a registered application")
	}
	if n := d.server.Fetches(); n != 0 {
		t.Errorf("%d fetches", n)
	}
}

// Recognise may hold resources that others need, because it waits for nothing of the
// application.
func TestRecognisingCostsOneQueryAndNoFetch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	prove, err := d.Recognise(t.Context(), []string{"Bearer " + app.Token(noon)}, "high-street", submit)
	if err != nil || len(d.claims) != 1 || d.server.Fetches() != 0 {
		t.Fatalf("%v, %d queries, %d fetches", err, len(d.claims), d.server.Fetches())
	}
	if caller, err := prove(t.Context()); err != nil || caller.Application != app.ID || len(d.claims) != 1 || d.server.Fetches() != 1 {
		t.Errorf("%v, %v, %d queries, %d fetches", caller.Application, err, len(d.claims), d.server.Fetches())
	}
}

func TestTokenOfOtherApplicationIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	caller, err := d.call(t, stranger.Token(noon), submit)
	refused(t, err, badSignature)
	if diff := cmp.Diff(access.Caller{}, caller); diff != "" {
		t.Errorf("a forged token proves something: %s", diff)
	}
}

// D8: the cache delay is the contract. Otherwise anyone could make us fetch.
func TestAnUnknownKidCausesNoFetch(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range 3 {
		_, err := d.call(t, app.Token(noon, header("kid", "new-key")), submit)
		refused(t, err, "Invalid JWT: no key with this kid")
	}
	if n := d.server.Fetches(); n != 1 {
		t.Errorf("%d fetches", n)
	}
}

func TestAChangedURLTakesEffectAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if _, err := d.call(t, app.Token(noon), submit); err != nil {
		t.Fatal(err)
	}
	moved := bearertest.NewServer(stranger.JWKS())
	t.Cleanup(moved.Close)
	d.rights.JWKSURL = moved.URL
	_, err := d.call(t, app.Token(noon), submit)
	refused(t, err, badSignature)
	if _, err := d.call(t, stranger.Token(noon), submit); err != nil {
		t.Error(err)
	}
}

func TestAnUnreadableSetRefusesTheCall(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.server.Fail(503)
	caller, err := d.call(t, app.Token(noon), submit)
	refused(t, err, "Unable to obtain JWKS from "+d.server.URL+": the URL did not respond")
	if caller.Application != (application.ID{}) {
		t.Error("an unread set proves something")
	}
}

func TestADatabaseAwayIsNoRefusal(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.err = errors.New("connection reset")
	_, err := d.call(t, app.Token(noon), submit)
	if _, isFault := errors.AsType[*fault.Error](err); isFault || !errors.Is(err, d.err) {
		t.Errorf("got %v", err)
	}
}

func TestCancelledCallIsNotARefusal(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.server.Answer(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err := d.authenticate(gone, []string{"Bearer " + app.Token(noon)}, submit)
	if _, isFault := errors.AsType[*fault.Error](err); isFault || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
