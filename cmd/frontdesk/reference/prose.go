package reference

import (
	"bytes"
	"html/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// markdown writes HTML of our own texts. HTML in them is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

// prose is Markdown as HTML.
func prose(text string) (template.HTML, error) {
	var out bytes.Buffer
	if err := markdown.Convert([]byte(text), &out); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil
}
