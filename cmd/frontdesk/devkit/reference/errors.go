package reference

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"frontdesk/cmd/frontdesk/devkit/refusals"
)

// refusal is a code as its page shows it.
type refusal struct {
	Text  template.HTML
	Calls []string // that may return it
}

// addErrors adds the page of each code, and the one that leads to them, as docs/errors/
// has them.
func addErrors(made files, d document, s *Sandbox) error {
	calls := d.refusedCalls()
	texts := map[string][]byte{"index": refusals.Index()}
	for _, code := range refusals.Codes() {
		texts[code.Code] = code.Page()
	}
	for name, text := range texts {
		shown, err := prose(linked(string(text)))
		if err != nil {
			return fmt.Errorf("the page of %s: %w", name, err)
		}
		title := map[bool]string{true: "Errors", false: name}[name == "index"]
		p := page{Title: title, Root: "../", Body: refusal{shown, calls[name]}}.on(s, d)
		if made["errors/"+name+".html"], err = rendered("error.html", p); err != nil {
			return err
		}
	}
	return nil
}

// linked leads from page to page as the pages are named here.
func linked(text string) string {
	return strings.NewReplacer("(README.md)", "(index.html)", ".md)", ".html)").Replace(text)
}

// refusedCalls are the operations that may be answered with each code. An answer has an
// example of each of its codes, under the code's name.
func (d document) refusedCalls() map[string][]string {
	calls := map[string][]string{}
	for _, path := range inOrder(d, d.Paths) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
				for code := range d.answer(o, status).Content["application/json"].Examples {
					calls[code] = append(calls[code], o.OperationID)
				}
			}
		}
	}
	return calls
}

func (d document) answer(o operation, status string) body {
	answer := o.Responses[status]
	if answer.Ref != "" {
		return d.Components.Responses[nameOf(answer.Ref)]
	}
	return answer
}
