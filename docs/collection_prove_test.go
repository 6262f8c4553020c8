//go:build prove

package docs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"frontdesk/adapters/provetest"
)

// Postman's own runner makes each call of the sandbox's collection. Calls that are allowed
// once a minute may be refused, because another test has made them. The sandbox has no signer, so
// it has no checkpoint.
func TestProveCollectionIsAnswered_D98(t *testing.T) {
	t.Parallel()
	o := openAPITools(t)
	collection := o.sandbox.DocsURL + "frontdesk.postman_collection.json"
	if out, err := o.run(t, "newman", "run", collection, "--reporters", "json", "--reporter-json-export", "run.json"); err != nil {
		t.Fatalf("newman: %v\n%s", err, out)
	}
	var run struct {
		Run struct {
			Executions []struct {
				Item     struct{ Name string }
				Response struct{ Code int }
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(o.dir, "run.json"))
	if err == nil {
		err = json.Unmarshal(text, &run)
	}
	if err != nil || len(run.Run.Executions) < len(o.document.Paths) {
		t.Fatalf("newman made %d calls: %v", len(run.Run.Executions), err)
	}
	for _, e := range run.Run.Executions {
		onceAMinute := e.Item.Name == o.document.Paths["/transactional-api/application/key-set"]["post"].Summary ||
			e.Item.Name == o.document.Paths["/transactional-api/application/webhooks/test"]["post"].Summary
		unsigned := e.Item.Name == o.document.Paths["/transactional-api/application/checkpoint"]["get"].Summary
		switch {
		case e.Response.Code == 200, onceAMinute && e.Response.Code == 429, unsigned && e.Response.Code == 404:
		default:
			t.Errorf("%s is answered %d", e.Item.Name, e.Response.Code)
		}
	}
	provetest.Tried(t, len(run.Run.Executions), "calls")
}
