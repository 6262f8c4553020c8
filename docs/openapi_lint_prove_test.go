//go:build prove

package docs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/adapters/httpapi"
	"frontdesk/adapters/provetest"
)

// `make lint` runs this, too. The file is judged, with its template of a server, and by
// Spectral as it is served: Redocly takes localhost for no server.
func TestProveOpenAPILintersPass_D98(t *testing.T) {
	t.Parallel()
	fetched, err := npm("testdata/openapi/lint")()
	if err != nil {
		t.Fatal(`Redocly and Spectral need Node.js 18 or newer with npm; "make deps" installs them. `, err)
	}
	o := tools{dir: fetched, bin: filepath.Join(fetched, "node_modules", ".bin")}
	o.write(t, "file.json", string(httpapi.Description("")))
	o.write(t, "served.json", string(httpapi.Description("http://localhost:8080")))
	if out, err := o.run(t, "redocly", "lint", "--config", "redocly.yaml", "--max-problems", "1000", "--format", "json", "file.json"); err != nil || !strings.Contains(out, `"problems": []`) {
		t.Errorf("Redocly: %v\n%s", err, out)
	}
	if out, err := o.run(t, "spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", "file.json", "served.json"); err != nil {
		t.Errorf("Spectral: %v\n%s", err, out)
	}
	provetest.Tried(t, 2, "linters")
}
