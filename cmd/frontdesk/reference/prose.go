package reference

import (
	"bytes"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

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
