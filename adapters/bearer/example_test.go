package bearer_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/domain/application"
)

// An integrator checks a token. The words are the service's own.
func ExampleExplain() {
	app := bearertest.NewApplication(application.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000a")})
	keys := func() (bearer.KeySet, error) { return bearer.ReadKeySet(app.JWKS()) }
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

	token := app.Token(noon, bearertest.As("dr.lee"))
	found, err := bearer.Explain([]string{"Bearer " + token}, keys, noon)
	fmt.Println(found.Mode(), found.Username(), err)

	token = app.Token(noon, bearertest.Claim("exp", noon.Add(time.Hour).Unix()))
	_, err = bearer.Explain([]string{"Bearer " + token}, keys, noon)
	if refusal, ok := errors.AsType[*bearer.Refusal](err); ok {
		fmt.Println(refusal.Reason)
		fmt.Println(refusal.Fault.Detail)
	}
	// Output:
	// user-restricted dr.lee <nil>
	// lifetime
	// Invalid JWT: exp must be at most 60 seconds after iat: it is 3600 s after iat
}
