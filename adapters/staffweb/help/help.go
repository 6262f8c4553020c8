// Package help serves the guide for the people of a practice. Each page links to its section.
//
//	help            the guide
//	help/{picture}  a picture in it
package help

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/docs/practice"
)

//go:embed templates
var sources embed.FS

var templates = pagekit.Templates(sources, "help")

// Section is the guide. It is public: people who cannot sign in also need it.
type Section struct{ *pagekit.Site }

// Routes are the paths of the section.
func (s *Section) Routes() []pagekit.Route {
	return []pagekit.Route{
		pagekit.NewRoute("/help", "help", pagekit.Methods{http.MethodGet: pagekit.Public(s.guide)}),
		pagekit.NewRoute("/help/{picture}", "help-picture", pagekit.Methods{http.MethodGet: pagekit.Public(s.picture)}),
	}
}

// guide shows the guide.
func (s *Section) guide(r *pagekit.Request) error {
	content, err := guide()
	if err != nil {
		return err
	}
	s.Show(r, pagekit.View{Template: templates["help"], Status: http.StatusOK, Title: "Help", Content: content})
	return nil
}

// picture sends a picture of the guide.
func (s *Section) picture(r *pagekit.Request) error {
	content, err := fs.ReadFile(practice.Pictures, r.PathValue("picture"))
	if err != nil {
		return pagekit.ErrNotFound
	}
	r.Respond("image/png", content)
	return nil
}

// guide is the guide as HTML. The Markdown is our own, and goldmark leaves out HTML in it.
var guide = sync.OnceValues(func() (template.HTML, error) {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(
		parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(local{}, 0))))
	var out bytes.Buffer
	if err := markdown.Convert([]byte(practice.Guide), &out); err != nil {
		return "", fmt.Errorf("render the guide: %w", err)
	}
	return template.HTML(out.String()), nil
})

// local makes links and pictures fit the staff pages: a link to another document, which they
// do not serve, becomes its text.
type local struct{}

// Transform is for [goldmark].
func (local) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var others []*ast.Link
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walk returns no error
		switch n := n.(type) {
		case *ast.Link:
			if entering && !strings.HasPrefix(string(n.Destination), "#") {
				others = append(others, n)
			}
		case *ast.Image:
			if entering {
				n.Destination = append([]byte("help/"), n.Destination...)
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
