package reference

import (
	_ "embed" // the collection's script is a file
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"frontdesk/adapters/httpapi"
)

// The form of Postman's collections v2.1, of which Bruno imports all that is used here.
const collectionForm = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

//go:embed pages/token.js
var tokenScript string

type collection struct {
	Info struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      string `json:"schema"`
	} `json:"info"`
	Auth     auth       `json:"auth"`
	Event    []script   `json:"event"`
	Variable []variable `json:"variable"`
	Item     []folder   `json:"item"`
}

type auth struct {
	Type   string     `json:"type"`
	Bearer []variable `json:"bearer,omitempty"`
}

type script struct {
	Listen string `json:"listen"`
	Script struct {
		Type string   `json:"type"`
		Exec []string `json:"exec"`
	} `json:"script"`
}

type variable struct {
	Key         string `json:"key"`
	Value       string `json:"value"`
	Type        string `json:"type,omitempty"`
	Description string `json:"description,omitempty"`
}

// folder is a tag with its calls.
type folder struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Item        []call `json:"item"`
}

type call struct {
	Name    string  `json:"name"`
	Request request `json:"request"`
}

type request struct {
	Method      string     `json:"method"`
	Description string     `json:"description"`
	Auth        *auth      `json:"auth,omitempty"`
	Header      []variable `json:"header"`
	URL         address    `json:"url"`
	Body        *rawBody   `json:"body,omitempty"`
}

type address struct {
	Raw   string     `json:"raw"`
	Host  []string   `json:"host"`
	Path  []string   `json:"path"`
	Query []variable `json:"query,omitempty"`
}

type rawBody struct {
	Mode    string `json:"mode"`
	Raw     string `json:"raw"`
	Options struct {
		Raw struct {
			Language string `json:"language"`
		} `json:"raw"`
	} `json:"options"`
}

// Collection is all calls with their examples as a collection for Postman and Bruno. Its
// variables hold the address of the service and the subjects of calls. They are those of a
// sandbox that was started without options, and its identifiers are left to fill in.
func Collection() ([]byte, error) { return collectionOf(Sandbox{URL: "http://127.0.0.1:8080"}) }

// addCollection adds the collection, with the identifiers of a sandbox if there is one.
func addCollection(made files, _ document, s *Sandbox) (err error) {
	if s == nil {
		made[collectionFile], err = Collection()
		return err
	}
	made[collectionFile], err = collectionOf(*s)
	return err
}

func collectionOf(s Sandbox) ([]byte, error) {
	d, err := read(httpapi.Description("")) // whose identifiers become variables
	if err != nil {
		return nil, err
	}
	var c collection
	c.Info.Name, c.Info.Description, c.Info.Schema = d.Info.Title, d.Info.Description, collectionForm
	c.Auth = auth{Type: "bearer", Bearer: []variable{{Key: "token", Value: "{{token}}", Type: "string"}}}
	mint := script{Listen: "prerequest"}
	mint.Script.Type, mint.Script.Exec = "text/javascript", strings.Split(strings.TrimSpace(tokenScript), "\n")
	c.Event = []script{mint}
	c.Variable = []variable{
		{Key: "baseURL", Value: s.URL, Description: "Where the practice's API is."},
		{Key: "tokenURL", Value: s.URL + Prefix + tokenPath, Description: "Where a sandbox mints tokens; empty elsewhere."},
		{Key: "username", Description: "The member of staff the application acts for; empty for itself."},
		{Key: "token", Description: "Set before each call where there is a tokenURL; elsewhere write one here that your application has signed."},
		{Key: "patientId", Value: s.IDs.Patient, Description: "The patients in sandbox.json have one each."},
		{Key: "siteId", Value: s.IDs.Site}, {Key: "roomId", Value: s.IDs.Room}, {Key: "appointmentId", Value: s.IDs.Appointment},
	}
	for _, tag := range d.Tags {
		if one := (folder{tag.Name, tag.Description, d.tagged(tag.Name)}); len(one.Item) > 0 {
			c.Item = append(c.Item, one)
		}
	}
	text, err := json.MarshalIndent(c, "", "  ")
	return append(text, '\n'), err
}

// tagged are the calls whose first tag has a name.
func (d document) tagged(name string) (all []call) {
	for _, path := range inOrder(d, d.Paths) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			if o := d.Paths[path][method]; len(o.Tags) > 0 && o.Tags[0] == name {
				all = append(all, d.calls(path, method, o)...)
			}
		}
	}
	return all
}

// calls are an operation with each example of its body.
func (d document) calls(path, method string, o operation) (all []call) {
	base := request{Method: strings.ToUpper(method), Description: o.Description, URL: d.address(path, o), Header: []variable{}}
	if o.Security != nil && len(*o.Security) == 0 {
		base.Auth = &auth{Type: "noauth"}
	}
	b, has := d.request(o)
	if !has {
		return []call{{o.Summary, base}}
	}
	base.Header = append(base.Header, variable{Key: "Content-Type", Value: "application/json"})
	content := b.Content["application/json"]
	if content.Example != nil {
		return []call{{o.Summary, base.with(content.Example)}}
	}
	for _, name := range inOrder(d, content.Examples) {
		all = append(all, call{fmt.Sprintf("%s (%s)", o.Summary, name), base.with(content.Examples[name].Value)})
	}
	return all
}

func (r request) with(example []byte) request {
	r.Body = &rawBody{Mode: "raw", Raw: string(variables.put([]byte(indented(example))))}
	r.Body.Options.Raw.Language = "json"
	return r
}

// address takes the parameters of a query that must be given.
func (d document) address(path string, o operation) address {
	a := address{Host: []string{"{{baseURL}}"}, Path: strings.Split(strings.TrimPrefix(path, "/"), "/")}
	a.Raw = "{{baseURL}}" + path
	for i, p := range o.Parameters {
		if p.In != "query" || !p.Required {
			continue
		}
		value := string(variables.put(fmt.Append(nil, p.Example)))
		a.Query = append(a.Query, variable{Key: p.Name, Value: value, Description: p.Description})
		a.Raw += map[bool]string{true: "?", false: "&"}[i == 0] + url.QueryEscape(p.Name) + "=" + value
	}
	return a
}
