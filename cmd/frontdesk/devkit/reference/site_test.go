package reference_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/adapters/httpapi"
	"frontdesk/cmd/frontdesk/devkit/reference"
)

var update = flag.Bool("update", false, "write the collection")

// described is the part of the description that these tests read.
type described struct {
	Webhooks   map[string]any
	Paths      map[string]map[string]struct{ OperationID string }
	Components struct {
		Schemas struct {
			ErrorCode struct {
				Enum []string `json:"x-extensible-enum"`
			}
		}
	}
}

func describe(t *testing.T) (d described) {
	t.Helper()
	if err := json.Unmarshal(httpapi.Description(""), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func written(t *testing.T) fs.FS {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made", "docs")
	if err := reference.Write(dir, os.DirFS("../../../..")); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(dir)
}

func readFile(t *testing.T, site fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(site, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each event and each code that the description has is on the pages.
func TestThePagesLeaveNothingOut_D98(t *testing.T) {
	t.Parallel()
	site, d := written(t), describe(t)
	events := readFile(t, site, "events.html")
	for event := range d.Webhooks {
		if !strings.Contains(events, `<h2 id="`+event+`">`) {
			t.Errorf("events.html has no %s", event)
		}
	}
	list := readFile(t, site, "errors/index.html")
	for _, code := range d.Components.Schemas.ErrorCode.Enum {
		if !strings.Contains(list, `href="`+code+`.html"`) || !strings.Contains(readFile(t, site, "errors/"+code+".html"), "<h1>"+code) {
			t.Errorf("%s has no page", code)
		}
	}
}

var link = regexp.MustCompile(`(?:href|src)="([^"#:]*)(?:#([^"]*))?"`)

// The pages can be opened from a disk: each link is relative, and leads somewhere.
func TestEachLinkOfThePagesLeadsToAFile_D98(t *testing.T) {
	t.Parallel()
	site, seen := written(t), 0
	err := fs.WalkDir(site, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" {
			return err
		}
		for _, to := range link.FindAllStringSubmatch(readFile(t, site, name), -1) {
			target := name
			if to[1] != "" {
				target = path.Join(path.Dir(name), to[1])
			}
			text, err := fs.ReadFile(site, target)
			if err != nil || to[2] != "" && !bytes.Contains(text, []byte(`id="`+to[2]+`"`)) {
				t.Errorf("%s: the link %s leads nowhere", name, to[0])
			}
			seen++
		}
		return nil
	})
	if err != nil || seen < 100 {
		t.Errorf("%d links, %v", seen, err)
	}
}

// The documents lead to those outside of docs, and back.
func TestPagesOutsideDocsAreInSite(t *testing.T) {
	t.Parallel()
	site := written(t)
	for name, want := range map[string]string{
		"guides/index.html": `href="../guides/project/security.html"`, "guides/project/readme.html": `src="../practice/inbox.png"`,
		"guides/project/contributing.html": `href="../contribute/tests.html"`, "guides/integrate/index.html": `href="../project/readme.html#try-it"`,
	} {
		if !strings.Contains(readFile(t, site, name), want) {
			t.Errorf("%s has no %s", name, want)
		}
	}
}

// The examples on a sandbox's pages can be tried as they are.
// The site shows pictures of diagrams, which lead to their full size.
func TestPagesShowDiagrams(t *testing.T) {
	t.Parallel()
	site, shown := written(t), 0
	err := fs.WalkDir(site, "guides", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" {
			return err
		}
		text := readFile(t, site, name)
		if strings.Contains(text, "accTitle:") && !strings.HasPrefix(name, "guides/decisions") {
			t.Errorf("%s shows the source of a diagram", name)
		}
		shown += strings.Count(text, `.svg"><img src="`)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if shown < 8 {
		t.Errorf("%d diagrams", shown)
	}
}

func TestASandboxShowsItsOwnIdentifiers_D98(t *testing.T) {
	t.Parallel()
	h := newHandler(t)
	for name, wanted := range map[string][]string{
		"openapi.json":                      {own, ids.Patient, ids.Site, ids.Room, ids.Appointment},
		"openapi.js":                        {own, ids.Patient, `"mint":"token"`},
		"frontdesk.postman_collection.json": {own, ids.Patient, ids.Site, ids.Room, ids.Appointment, "{{patientId}}", own + "/docs/token"},
		"reference.html":                    {"<option>ann.lee</option>"},
	} {
		text := ask(h, "GET", "/docs/"+name, "", nil).Body.String()
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %s", name, want)
			}
		}
	}
}

const collectionFile = "../../../../docs/examples/postman/frontdesk.postman_collection.json"

// Postman's collection in docs/examples is as the description is.
func TestTheCollectionIsUpToDate_D98(t *testing.T) {
	t.Parallel()
	made, err := reference.Collection()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(collectionFile, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if file, err := os.ReadFile(collectionFile); err != nil || !bytes.Equal(file, made) {
		t.Errorf("the collection is not as the description (%v); run go test ./cmd/frontdesk/devkit/reference -run Collection -update", err)
	}
	for path, operations := range describe(t).Paths {
		for method := range operations {
			if !bytes.Contains(made, []byte(`"raw": "{{baseURL}}`+path)) {
				t.Errorf("the collection lacks %s %s", method, path)
			}
		}
	}
}
