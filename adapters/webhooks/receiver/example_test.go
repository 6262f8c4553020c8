package receiver_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"frontdesk/adapters/webhooks/receiver"
)

// A receiver verifies what it is sent with the keys that the service publishes.
func ExampleVerifier() {
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	jwks, sign := exampleService()
	defer jwks.Close()
	token := sign(fmt.Sprintf(`{"iss":"service","exp":%d,"jti":"7","event":"record.opened","tenantId":"elm-street","data":{"patientId":"8"}}`,
		noon.Add(time.Minute).Unix()))

	now := noon
	verifier := &receiver.Verifier{JWKSURL: jwks.URL, Client: http.DefaultClient, Now: func() time.Time { return now }}
	webhook, err := verifier.Verify(context.Background(), token)
	fmt.Println(webhook.Event, webhook.TenantID, string(webhook.Data), err)
	now = noon.Add(time.Hour)
	_, err = verifier.Verify(context.Background(), token)
	fmt.Println(err)
	// Output:
	// record.opened elm-street {"patientId":"8"} <nil>
	// it has expired at 2026-03-02T12:01:00Z
}

// exampleService publishes a key and signs with it.
func exampleService() (jwks *httptest.Server, sign func(claims string) string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: key, KeyID: "k"}}, nil)
	if err != nil {
		panic(err)
	}
	set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "RS256", Use: "sig"}}}
	jwks = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(set) }))
	return jwks, func(claims string) string {
		signed, err := signer.Sign([]byte(claims))
		if err != nil {
			panic(err)
		}
		token, _ := signed.CompactSerialize()
		return token
	}
}
