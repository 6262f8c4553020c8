package reference_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"frontdesk/cmd/frontdesk/devkit/reference"
)

// Each endpoint has an example for the sandbox's own patients, which can be read where the endpoint can be.
func TestExampleOfEachEndpoint_D97(t *testing.T) {
	t.Parallel()
	all, err := reference.Examples(ids)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 10 {
		t.Errorf("there are %d", len(all))
	}
	for name, e := range all {
		path, _, _ := strings.Cut(e.Path, "?")
		if path != name || strings.Contains(e.Path+e.Body, "{{") {
			t.Errorf("%s: %+v", name, e)
		}
		if e.Body != "" && !json.Valid([]byte(e.Body)) {
			t.Errorf("%s: %s is no JSON", name, e.Body)
		}
	}
	if e := all["ping"]; e.Method != http.MethodGet {
		t.Errorf("ping: %+v", e)
	}
	if e := all["create-note"]; e.Method != http.MethodPost || !strings.Contains(e.Body, ids.Patient) {
		t.Errorf("create-note: %+v", e)
	}
}
