package docs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/bearer/bearertest"
)

var updateVectors = flag.Bool("update-vectors", false, "write vectors.json, with new keys")

const vectorsFile = "vectors.json"

// vectors is vectors.json.
type vectors struct {
	About       []string        `json:"about"`
	Now         time.Time       `json:"now"`
	Application string          `json:"application"`
	JWKS        json.RawMessage `json:"jwks"`
	Tokens      []tokenVector   `json:"tokens"`
	ServiceJWKS json.RawMessage `json:"serviceJwks"`
	Webhooks    []webhookVector `json:"webhooks"`

	LogKey      string             `json:"logKey"`
	Checkpoints []checkpointVector `json:"checkpoints"`
}

// tokenVector is a call's Authorization header and the verdict on it.
type tokenVector struct {
	Name          string     `json:"name"`
	Clause        string     `json:"clause"`
	Now           *time.Time `json:"now,omitempty"`  // where it is another than the file's
	JWKS          *string    `json:"jwks,omitempty"` // the document at the JWKS URL, where it is another
	Authorization string     `json:"authorization"`
	Accepted      bool       `json:"accepted"`
	Description   string     `json:"description,omitempty"` // of the refusal, a 403
}

// webhookVector is a webhook's body and the verdict on it.
type webhookVector struct {
	Name     string     `json:"name"`
	Clause   string     `json:"clause"`
	Now      *time.Time `json:"now,omitempty"`
	Token    string     `json:"token"`
	Accepted bool       `json:"accepted"`
	Reason   string     `json:"reason,omitempty"`
}

var about = []string{
	"Tokens and webhooks with the verdict on each. All keys are throw-away ones.",
	"tokens: the service's verdict on a call with this Authorization header, when the application is registered, enabled and granted everything, has authorised users, and publishes jwks.",
	"A refusal is answered 403 with the code unauthorized and the description given; {jwks-url} stands for the application's JWKS URL.",
	"webhooks: the verdict of a receiver who knows serviceJwks; the words of reasons are not part of any contract.",
	"now is the time at which to judge.",
	"checkpoints: the verdict of a reader who has logKey and, unless it is empty, a kept checkpoint. The words of reasons are those of the client packages.",
}

// noon is the time of the vectors.
var noon = time.Date(2027, 1, 15, 8, 0, 0, 0, time.UTC)

func after(d time.Duration) *time.Time {
	at := noon.Add(d)
	return &at
}

// makeVectors makes them with this process's keys.
func makeVectors() vectors {
	return vectors{
		About: about, Now: noon, Application: app.ID.String(),
		JWKS: app.JWKS(), Tokens: append(tokenVectors(), keySetVectors()...),
		ServiceJWKS: service.JWKS(), Webhooks: webhookVectors(),
		LogKey: theLogKey.verifier, Checkpoints: checkpointVectors(),
	}
}

func readVectors(t *testing.T) (v vectors) {
	t.Helper()
	data, err := os.ReadFile(vectorsFile)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVectorsAreUpToDate(t *testing.T) {
	t.Parallel()
	made := makeVectors()
	if *updateVectors {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(made); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(vectorsFile, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(withoutKeys(made), withoutKeys(readVectors(t))); diff != "" {
		t.Errorf("run with -update-vectors: -made +file:\n%s", diff)
	}
}

// withoutKeys returns the parts of the vectors that do not depend on their keys.
func withoutKeys(v vectors) vectors {
	v.JWKS, v.ServiceJWKS = nil, nil
	tokens, webhooks := v.Tokens, v.Webhooks
	v.Tokens, v.Webhooks = nil, nil
	for _, one := range tokens {
		one.Authorization = ""
		if one.JWKS != nil {
			one.JWKS = new(string)
		}
		v.Tokens = append(v.Tokens, one)
	}
	for _, one := range webhooks {
		one.Token = ""
		v.Webhooks = append(v.Webhooks, one)
	}
	return v
}

func TestVectorsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	seen := map[string]bool{}
	for _, one := range v.Tokens {
		seen[one.Name] = true
	}
	for _, one := range v.Webhooks {
		seen["webhook "+one.Name] = true
	}
	for _, one := range v.Checkpoints {
		seen["checkpoint "+one.Name] = true
	}
	if len(seen) != len(v.Tokens)+len(v.Webhooks)+len(v.Checkpoints) {
		t.Error("some share a name")
	}
}

// The server's verdict is the file's, and so is that of token explain.
func TestTheServerAgreesWithTheVectors(t *testing.T) {
	t.Parallel()
	v := readVectors(t)
	published := newPublisher(t)
	for _, vector := range v.Tokens {
		document, now := string(v.JWKS), v.Now
		if vector.JWKS != nil {
			document = *vector.JWKS
		}
		if vector.Now != nil {
			now = *vector.Now
		}
		url := published.publish(document)
		want := judgement{accepted: vector.Accepted, description: strings.ReplaceAll(vector.Description, "{jwks-url}", url)}
		if !want.accepted {
			want.code = "unauthorized"
		}
		if got := serverSays(t, url, vector.Authorization, now); got.without() != want {
			t.Errorf("%s: the server says %+v", vector.Name, got)
		}
		file := writeFile(t, "jwks.json", document)
		want.description = strings.ReplaceAll(vector.Description, "{jwks-url}", file)
		if got := explainSays(t, file, vector.Authorization, now); got.without() != want {
			t.Errorf("%s: token explain says %+v", vector.Name, got)
		}
	}
}

// The application and the service of the vectors.
var (
	app     = bearertest.NewApplication(applicationID("01980000-0000-7000-8000-000000000001"))
	service = bearertest.Application{Kid: "service-key", Key: bearertest.Key()}
)
