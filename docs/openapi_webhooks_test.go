package docs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/httpapi"
)

var signWebhooks = flag.Bool("sign-webhooks", false, "sign the example of each webhook in openapi.json again, with a new key")

const openAPIFile = "../adapters/httpapi/openapi.json"

// The client verifies the examples of webhooks with the example of a key set: their
// signatures are real.
func TestTheExamplesOfWebhooksAreSigned_D98(t *testing.T) {
	t.Parallel()
	if *signWebhooks {
		signExamples(t)
	}
	text, err := os.ReadFile(openAPIFile)
	if err != nil {
		t.Fatal(err)
	}
	document := readExamples(t, text)
	url := newPublisher(t).publish(string(document.keys()))
	for event, token := range document.tokens() {
		at := document.issued(event)
		w, err := verifier(t, url, at).Verify(t.Context(), token)
		if err != nil {
			t.Errorf("the example of %s: %v; run with -sign-webhooks", event, err)
		} else if kind := w.Event.Kind(); kind != event {
			t.Errorf("the example of %s is %s; run with -sign-webhooks", event, kind)
		}
	}
}

// shownWebhooks are the examples of webhooks in the file.
type shownWebhooks struct {
	Webhooks map[string]struct {
		Post struct {
			RequestBody struct {
				Ref string `json:"$ref"`
			}
		}
	}
	Components struct {
		RequestBodies map[string]struct {
			Content map[string]struct{ Example string }
		}
		Examples map[string]struct{ Value json.RawMessage }
		Schemas  map[string]struct {
			Discriminator struct{ Mapping map[string]string }
			Examples      []json.RawMessage
		}
	}
}

func readExamples(t *testing.T, text []byte) (s shownWebhooks) {
	t.Helper()
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s shownWebhooks) keys() []byte { return s.Components.Examples["key-set"].Value }

// tokens are the examples by their events.
func (s shownWebhooks) tokens() map[string]string {
	tokens := map[string]string{}
	for event, webhook := range s.Webhooks {
		body := strings.TrimPrefix(webhook.Post.RequestBody.Ref, "#/components/requestBodies/")
		tokens[event] = s.Components.RequestBodies[body].Content["application/jwt"].Example
	}
	return tokens
}

// claims are those that an event's schema shows.
func (s shownWebhooks) claims(event string) map[string]any {
	schema := strings.TrimPrefix(s.Components.Schemas["WebhookClaims"].Discriminator.Mapping[event], "#/components/schemas/")
	var claims map[string]any
	for _, example := range s.Components.Schemas[schema].Examples {
		decoder := json.NewDecoder(bytes.NewReader(example))
		decoder.UseNumber()
		_ = decoder.Decode(&claims) // the file has been read
	}
	return claims
}

func (s shownWebhooks) issued(event string) time.Time {
	at, _ := s.claims(event)["iat"].(json.Number)
	seconds, _ := at.Int64()
	return time.Unix(seconds, 0)
}

// signExamples changes nothing in the file but the tokens and the key.
func signExamples(t *testing.T) {
	t.Helper()
	text := httpapi.Description("")
	shown := readExamples(t, text)
	var set struct{ Keys []struct{ Kid, N string } }
	if err := json.Unmarshal(shown.keys(), &set); err != nil {
		t.Fatal(err)
	}
	signer := service
	signer.Kid = set.Keys[0].Kid
	header := map[string]any{"alg": "RS256", "typ": "JWT", "kid": signer.Kid}
	tokens := shown.tokens()
	for _, event := range slices.Sorted(maps.Keys(tokens)) {
		token := signer.Sign(encoded(header), encoded(shown.claims(event)))
		text = bytes.Replace(text, []byte(tokens[event]), []byte(token), 1)
	}
	public, _ := bearertest.JWK(signer.Kid, &signer.Key.PublicKey)["n"].(string)
	text = bytes.Replace(text, []byte(set.Keys[0].N), []byte(public), 1)
	if err := os.WriteFile(openAPIFile, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
