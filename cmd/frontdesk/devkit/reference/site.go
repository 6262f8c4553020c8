package reference

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	swaggerui "github.com/swaggo/files/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"frontdesk/adapters/httpapi"
)

//go:embed pages
var sources embed.FS

// viewer are the files of Swagger UI that the reference needs.
var viewer = []string{"swagger-ui-bundle.js", "swagger-ui.css"}

// collectionFile is the name of the collection, next to the pages.
const collectionFile = "frontdesk.postman_collection.json"

// files are the content of a site by its relative paths.
type files map[string][]byte

// site makes all pages: for a sandbox, or for any service if there is no sandbox.
func site(s *Sandbox) (files, error) {
	text := httpapi.Description("")
	if s != nil {
		text = s.IDs.put(httpapi.Description(s.URL))
	}
	d, err := read(text)
	if err != nil {
		return nil, err
	}
	made := files{"openapi.json": text}
	for _, step := range []func(files, document, *Sandbox) error{addViewer, addPages, addErrors, addCollection} {
		if err := step(made, d, s); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// addViewer adds Swagger UI. The description is also a script: a page that is opened from a
// disk may not fetch JSON.
func addViewer(made files, d document, s *Sandbox) error {
	for _, name := range viewer {
		text, err := fs.ReadFile(swaggerui.FS, name)
		if err != nil {
			return fmt.Errorf("read Swagger UI: %w", err)
		}
		made[name] = text
	}
	for _, name := range []string{"style.css", "reference.js", "search.js"} {
		text, err := sources.ReadFile("pages/" + name)
		if err != nil {
			return err
		}
		made[name] = text
	}
	shown := map[string]any{"spec": json.RawMessage(d.text)}
	if s != nil {
		shown["mint"] = tokenPath
	}
	script, err := json.Marshal(shown)
	made["openapi.js"] = append(append([]byte("window.frontdesk = "), script...), ";\n"...)
	return err
}

// page is the data of each template.
type page struct {
	Title  string
	Root   string // the way from the page to the site's first page: "" or "../"
	Server string // of the API
	Users  []string
	Live   bool // it is a sandbox that serves the page
	Body   any
}

// addPages adds the pages that are made of the description only.
func addPages(made files, d document, s *Sandbox) error {
	events, err := eventsOf(d)
	if err != nil {
		return err
	}
	for name, p := range map[string]page{
		"index.html":     {Title: "Start", Body: d.Info},
		"reference.html": {Title: "Reference"},
		"events.html":    {Title: "Events", Body: events},
	} {
		if made[name], err = rendered(name, p.on(s, d)); err != nil {
			return err
		}
	}
	return nil
}

func (p page) on(s *Sandbox, d document) page {
	p.Server = d.Servers[0].URL
	if s != nil {
		p.Live, p.Users = true, s.Users
	}
	return p
}

var layouts = template.Must(template.New("").Funcs(template.FuncMap{"prose": prose}).ParseFS(sources, "pages/layout.html"))

// rendered is a page of one of the templates in the layout that all share.
func rendered(name string, p page) ([]byte, error) {
	layout, err := parsed(name)
	if err != nil {
		return nil, err
	}
	return executed(layout, p)
}

// parsed is one of the templates in the layout.
func parsed(name string) (*template.Template, error) {
	layout, err := layouts.Clone()
	if err != nil {
		return nil, fmt.Errorf("read the layout: %w", err)
	}
	if _, err := layout.ParseFS(sources, "pages/"+name); err != nil {
		return nil, fmt.Errorf("read the page %s: %w", name, err)
	}
	return layout, nil
}

func executed(layout *template.Template, p page) ([]byte, error) {
	var out bytes.Buffer
	if err := layout.ExecuteTemplate(&out, "layout.html", p); err != nil {
		return nil, fmt.Errorf("make the page %s: %w", p.Title, err)
	}
	return out.Bytes(), nil
}

// Write writes the pages into a folder, which it makes if it is missing. They can be
// opened there, and served from there by anything that serves files. The documents
// outside the folder docs, such as README.md, come from a clone of the repository.
func Write(dir string, clone fs.FS) error {
	documents := tree{}
	for _, name := range atRoot {
		text, err := fs.ReadFile(clone, name)
		if err != nil {
			return fmt.Errorf("read the documents of the clone: %w", err)
		}
		documents[name] = text
	}
	made, err := site(nil)
	if err != nil {
		return err
	}
	pages, err := documents.guides()
	if err != nil {
		return err
	}
	maps.Copy(made, pages)
	for name, text := range made {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("write the pages (choose another folder): %w", err)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return fmt.Errorf("write the pages (choose another folder): %w", err)
		}
	}
	return nil
}

// typeOfFile is the content type of a file.
func typeOfFile(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".png":
		return "image/png"
	case ".svg":
		return "image/svg+xml"
	}
	return "text/plain; charset=utf-8"
}

// markdown writes HTML of our own texts. HTML in them is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// reachable makes wide content scrollable without a mouse.
var reachable = strings.NewReplacer(
	"<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`,
)

// prose is Markdown as HTML.
func prose(text string) (template.HTML, error) {
	var out bytes.Buffer
	if err := markdown.Convert([]byte(text), &out); err != nil {
		return "", err
	}
	return template.HTML(reachable.Replace(out.String())), nil
}

// IDs are identifiers that a sandbox has, so that the examples can be tried.
type IDs struct{ Patient, Site, Room, Appointment string }

// examples are the identifiers that the description's examples use.
var examples = IDs{
	Patient:     "0198c7a2-0000-7000-8000-000000000001",
	Site:        "0198c7a2-0000-7000-8000-000000000004",
	Room:        "0198c7a2-0000-7000-8000-000000000005",
	Appointment: "0198c7a2-0000-7000-8000-000000000006",
}

// variables are the same in a collection.
var variables = IDs{Patient: "{{patientId}}", Site: "{{siteId}}", Room: "{{roomId}}", Appointment: "{{appointmentId}}"}

// put writes other identifiers in the place of the examples'.
func (i IDs) put(text []byte) []byte {
	return []byte(strings.NewReplacer(
		examples.Patient, i.Patient, examples.Site, i.Site, examples.Room, i.Room, examples.Appointment, i.Appointment,
	).Replace(string(text)))
}
