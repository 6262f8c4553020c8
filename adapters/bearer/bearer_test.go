package bearer_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

// noon is when tokens are issued and checked by default.
var noon = time.Unix(1_800_000_000, 0)

// Two registered applications; the stranger has a registered name and the wrong key.
var (
	app      = bearertest.NewApplication(application.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-000000000001")})
	other    = bearertest.NewApplication(application.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-000000000002")})
	stranger = bearertest.Application{ID: app.ID, Kid: app.Kid, Key: bearertest.StrangersKey()}
)

// Short names of the edits, for tables.
var (
	as            = bearertest.As
	claim         = bearertest.Claim
	without       = bearertest.Without
	header        = bearertest.Header
	withoutHeader = bearertest.WithoutHeader
)

// refused fails the test unless err is the refusal with this detail for the caller.
func refused(t *testing.T, err error, detail string) {
	t.Helper()
	refusal, ok := errors.AsType[*bearer.Refusal](err)
	if !ok {
		t.Errorf("got %v, want the refusal %q", err, detail)
		return
	}
	told, _ := errors.AsType[*fault.Error](err)
	if want := (fault.Error{Kind: fault.Forbidden, Code: "unauthorized", Detail: detail}); *told != want {
		t.Errorf("the caller is told %q, want %q", told, &want)
	}
	if refusal.Reason == "" {
		t.Errorf("%q has no reason to be counted under", detail)
	}
}

// mustKeys returns the key set of document.
func mustKeys(t testing.TB, document []byte) bearer.KeySet {
	t.Helper()
	keys, err := bearer.ReadKeySet(document)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
