package reference

import (
	"strings"
	"sync"

	"frontdesk/adapters/httpapi"
)

// Example is a call of an endpoint.
type Example struct {
	Method string
	Path   string // below /transactional-api/, with its query
	Body   string // JSON; "" for none
}

// Examples returns the first example of each endpoint by its name, such as create-note, for a sandbox with
// such identifiers. An endpoint that can be read is read.
func Examples(s IDs) (map[string]Example, error) {
	all, err := described()
	if err != nil {
		return nil, err
	}
	values := strings.NewReplacer("{{patientId}}", s.Patient, "{{siteId}}", s.Site, "{{roomId}}", s.Room, "{{appointmentId}}", s.Appointment)
	made := map[string]Example{}
	for name, e := range all {
		made[name] = Example{e.Method, values.Replace(e.Path), values.Replace(e.Body)}
	}
	return made, nil
}

// described are the examples of the description, whose identifiers are variables.
var described = sync.OnceValues(func() (map[string]Example, error) {
	d, err := read(httpapi.Description(""))
	if err != nil {
		return nil, err
	}
	const api = "/transactional-api/"
	all := map[string]Example{}
	for _, path := range inOrder(d, d.Paths) {
		name, inAPI := strings.CutPrefix(path, api)
		for _, method := range []string{"post", "get"} {
			o, has := d.Paths[path][method]
			if !has || !inAPI {
				continue
			}
			first := d.calls(path, method, o)[0].Request
			e := Example{Method: first.Method, Path: strings.TrimPrefix(first.URL.Raw, "{{baseURL}}"+api)}
			if first.Body != nil {
				e.Body = first.Body.Raw
			}
			all[name] = e
		}
	}
	return all, nil
})
