package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// refusal is a code as its page shows it.
type refusal struct {
	Code, Status, Means string

	Example string
	Calls   []string // that may be answered with it
}

// addErrors adds a page for each code, and one that lists them.
func addErrors(made files, d document, s *Sandbox) (err error) {
	codes := d.Components.Schemas["ErrorCode"]
	calls := d.refusedCalls()
	var all []refusal
	for _, code := range codes.Enum {
		status, means, _ := strings.Cut(codes.Means[code], ". ")
		one := refusal{code, status, means, indented(d.Components.Examples[code].Value), calls[code]}
		all = append(all, one)
		name := "errors/" + code + ".html"
		if made[name], err = rendered("error.html", page{Title: code, Root: "../", Body: one}.on(s, d)); err != nil {
			return fmt.Errorf("the code %s: %w", code, err)
		}
	}
	made["errors/index.html"], err = rendered("errors.html", page{Title: "Errors", Root: "../", Body: all}.on(s, d))
	return err
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
