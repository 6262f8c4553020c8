package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"frontdesk/docs"
)

// guidesFolder is the folder of the documents in the site, and searchIndex the words of all of them.
const (
	guidesFolder = "guides/"
	searchIndex  = guidesFolder + "search-index.js"
)

// guide is a document.
type guide struct {
	Title, Address string // relative to the site
	Text           template.HTML
	plain          string // its words
}

// group is a folder of documents, in the order of its first page.
type group struct {
	Title  string
	Guides []guide
}

// groups are the folders that the menu lists. The menu leads to the index of decisions and errors, which lists them.
var groups = []struct{ title, folder string }{
	{"Start", "docs"}, {"Integrate", "docs/integrate"}, {"Operate", "docs/operate"}, {"Practice", "docs/practice"}, {"Privacy", "docs/privacy"},
	{"Audit", "docs/audit"}, {"Safety", "docs/safety"}, {"Security", "docs/security"}, {"Explain", "docs/explain"}, {"Contribute", "docs/contribute"},
	{"Decisions", "docs/decisions"}, {"Error codes", "docs/errors"}, {"Project", "."},
}

// atRoot are the documents in the first folder of the repository, by their names. They are in the menu in this
// order. Only the repository has them, so a sandbox does not.
var atRoot = []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}

// tree is the documents by their paths in the repository. It holds those of [atRoot].
type tree map[string][]byte

func (t tree) read(name string) ([]byte, error) {
	if inside, ok := strings.CutPrefix(name, "docs/"); ok {
		return docs.Pages.ReadFile(inside)
	}
	if text, ok := t[name]; ok {
		return text, nil
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// guides makes the documents when one of them is first asked for: a sandbox starts without them.
var guides = sync.OnceValues(func() (files, error) { return tree(nil).guides() })

// guides makes the documents, with a menu and a search.
func (t tree) guides() (files, error) {
	made := files{}
	pages, menu, err := t.readGuides()
	if err != nil {
		return nil, err
	}
	layout, err := parsed("guide.html")
	if err != nil {
		return nil, err
	}
	found := make([]map[string]string, 0, len(pages))
	for _, g := range pages {
		made[g.Address], err = executed(layout, page{Title: g.Title, Root: strings.Repeat("../", strings.Count(g.Address, "/")), Body: struct {
			guide
			Menu []group
		}{g, menu}})
		if err != nil {
			return nil, err
		}
		found = append(found, map[string]string{"title": g.Title, "address": g.Address, "text": g.plain})
	}
	index, err := json.Marshal(found)
	if err != nil {
		return nil, fmt.Errorf("write the index of the search: %w", err)
	}
	made[searchIndex] = append(append([]byte("window.frontdeskPages = "), index...), ";\n"...)
	return made, addLinked(made)
}

// readGuides returns all documents and the menu.
func (t tree) readGuides() (pages []guide, menu []group, err error) {
	for _, folder := range groups {
		names, err := t.namesIn(folder.folder)
		if err != nil {
			return nil, nil, err
		}
		listed := group{Title: folder.title}
		for _, name := range names {
			g, err := t.guideOf(name)
			if err != nil {
				return nil, nil, err
			}
			pages = append(pages, g)
			indexOnly := folder.folder == "docs/decisions" || folder.folder == "docs/errors"
			if !indexOnly || path.Base(name) == "README.md" {
				listed.Guides = append(listed.Guides, guide{Title: g.Title, Address: g.Address})
			}
		}
		if len(listed.Guides) > 0 {
			menu = append(menu, listed)
		}
	}
	return pages, menu, nil
}

// addLinked adds the files that documents link to.
func addLinked(made files) error {
	return fs.WalkDir(docs.Pages, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) == ".md" || path.Ext(name) == ".go" {
			return err
		}
		made[guidesFolder+name], err = docs.Pages.ReadFile(name)
		return err
	})
}

// namesIn returns the documents of a folder. Its first page is the first.
func (t tree) namesIn(folder string) ([]string, error) {
	if folder == "." {
		return slices.DeleteFunc(slices.Clone(atRoot), func(name string) bool { return t[name] == nil }), nil
	}
	names, err := fs.Glob(docs.Pages, strings.TrimPrefix(folder+"/*.md", "docs/"))
	if err != nil {
		return nil, fmt.Errorf("list the documents: %w", err)
	}
	for n, name := range names {
		names[n] = "docs/" + name
	}
	slices.SortStableFunc(names, func(a, b string) int {
		first := func(name string) int { return map[bool]int{true: 0, false: 1}[path.Base(name) == "README.md"] }
		return first(a) - first(b)
	})
	return names, nil
}

// addressOf returns the page of a document in the site.
func addressOf(name string) string {
	name, inside := strings.CutPrefix(name, "docs/")
	if !inside {
		return guidesFolder + "project/" + strings.ToLower(strings.TrimSuffix(name, ".md")) + ".html"
	}
	if path.Base(name) == "README.md" {
		return guidesFolder + path.Join(path.Dir(name), "index.html")
	}
	return guidesFolder + strings.TrimSuffix(name, ".md") + ".html"
}

var frontMatter = regexp.MustCompile(`(?s)\A---\n(.*?)\n---\n`)

func (t tree) guideOf(name string) (guide, error) {
	source, err := t.read(name)
	if err != nil {
		return guide{}, fmt.Errorf("read a document: %w", err)
	}
	if about := frontMatter.FindSubmatch(source); about != nil { // status and date of a decision
		facts := strings.ReplaceAll(string(about[1]), "\n", " · ")
		source = append(source[len(about[0]):], "\n"+facts+"\n"...)
	}
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(
		parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(inSite{t, name}, 0))))
	context := parser.NewContext(parser.WithIDs(&headingIDs{taken: map[string]bool{}}))
	var out bytes.Buffer
	if err := markdown.Convert(source, &out, parser.WithContext(context)); err != nil {
		return guide{}, fmt.Errorf("render %s: %w", name, err)
	}
	title := name
	if line, found := bytes.CutPrefix(source, []byte("# ")); found {
		first, _, _ := bytes.Cut(line, []byte("\n"))
		title = strings.ReplaceAll(string(first), "`", "")
	}
	shown := template.HTML(reachable.Replace(out.String()))
	return guide{Title: title, Address: addressOf(name), Text: shown, plain: plainText(out.String())}, nil
}

var tags = regexp.MustCompile(`<[^>]*>`)

// plainText returns the words of a page, each run of spaces as one.
func plainText(html string) string {
	return strings.Join(strings.Fields(tags.ReplaceAllString(html, " ")), " ")
}

// headingIDs names headings as code hosts do, so that one address works there and here.
type headingIDs struct{ taken map[string]bool }

// Generate is for [goldmark].
func (h *headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsNumber(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	if h.taken[id] {
		for n := 1; ; n++ {
			if next := fmt.Sprintf("%s-%d", id, n); !h.taken[next] {
				id = next
				break
			}
		}
	}
	h.taken[id] = true
	return []byte(id)
}

// Put is for [goldmark].
func (h *headingIDs) Put(value []byte) { h.taken[string(value)] = true }

// inSite makes the links of a document fit the site. A link to a file that the site lacks
// becomes its text.
type inSite struct {
	tree
	name string
}

// Transform is for [goldmark].
func (d inSite) Transform(doc *ast.Document, source text.Reader, _ parser.Context) {
	d.drawDiagrams(doc, source.Source())
	var others []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walk returns no error
		if image, ok := n.(*ast.Image); ok && entering {
			image.Destination = []byte(d.target(string(image.Destination)))
		}
		if link, ok := n.(*ast.Link); ok && entering {
			if there := d.target(string(link.Destination)); there != "" {
				link.Destination = []byte(there)
			} else {
				others = append(others, link)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, link := range others {
		parent := link.Parent()
		for child := link.FirstChild(); child != nil; child = link.FirstChild() {
			parent.InsertBefore(parent, link, child)
		}
		parent.RemoveChild(parent, link)
	}
}

var diagramText = regexp.MustCompile(`(?s)accTitle: ([^\n]+)\n\s*accDescr: ([^\n]+)`)

// drawDiagrams shows the picture of each Mermaid diagram in place of its source.
func (d inSite) drawDiagrams(doc *ast.Document, source []byte) {
	for block := doc.FirstChild(); block != nil; block = block.NextSibling() {
		code, ok := block.(*ast.FencedCodeBlock)
		if !ok || string(code.Language(source)) != "mermaid" {
			continue
		}
		described := diagramText.FindSubmatch(code.Lines().Value(source))
		if described == nil {
			continue
		}
		large, image := ast.NewLink(), ast.NewImage(ast.NewLink())
		large.Destination = []byte("/docs/diagrams/" + docs.DiagramFile(string(described[1])))
		image.Destination = large.Destination
		image.AppendChild(image, ast.NewString(bytes.Join(described[1:], []byte(". "))))
		large.AppendChild(large, image)
		shown := ast.NewParagraph()
		shown.AppendChild(shown, large)
		doc.ReplaceChild(doc, block, shown)
		block = shown
	}
}

// target returns where a link of the document leads in the site, or nothing.
func (d inSite) target(destination string) string {
	name, place, _ := strings.Cut(destination, "#")
	if name == "" || strings.Contains(destination, ":") {
		return destination
	}
	there, inTree := strings.CutPrefix(name, "/") // of a diagram
	if !inTree {
		there = path.Join(path.Dir(d.name), name)
	}
	if _, err := d.read(there); err != nil || path.Ext(there) == ".go" {
		return ""
	}
	if path.Ext(there) == ".md" {
		there = strings.TrimPrefix(addressOf(there), guidesFolder)
	}
	way := strings.Repeat("../", strings.Count(addressOf(d.name), "/")-1) + strings.TrimPrefix(there, "docs/")
	if place != "" {
		way += "#" + place
	}
	return way
}
