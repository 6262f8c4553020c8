package opening

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/practice"
)

// checkPage shows the effect of a change for patients before it is made.
type checkPage struct {
	Title    string
	Overtook bool   // the opening was changed since the last confirmation page
	Begins   string // when the change takes effect; "" for now
	Types    []checkedType
	Again    []typedField // the submitted values, to be sent again
	Sure     string
	Back     string // to the form
}

// checkedType is one type from the patients' view.
type checkedType struct {
	Name                 string
	Before, After, Later seen // Later is when the change takes effect, if that is not now
}

// typedField is one value that was sent.
type typedField struct{ Name, Value string }

// showCheck shows the effect of a change for patients, and asks for confirmation.
func (s *Section) showCheck(r *pagekit.Request, status int, before practice.Receptions, c change, after practice.Receptions) error {
	now := s.Now()
	page := checkPage{
		Title: c.title, Overtook: status == http.StatusConflict, Again: submittedFields(r), Sure: r.Token(seenOf(before)), Back: r.Base() + "/opening" + formPath(c),
	}
	if c.begins.After(now) {
		page.Begins = when(c.begins, now, before.Zone)
	}
	for _, typ := range c.types() {
		page.Types = append(page.Types, checkedType{
			Name: typeNames[typ], Before: seenAt(before.Reception(typ), now, now), After: seenAt(after.Reception(typ), now, now),
			Later: seenAt(after.Reception(typ), latest(now, c.begins), now),
		})
	}
	s.Show(r, pagekit.View{Template: templates["check"], Status: status, Title: c.title, Content: page})
	return nil
}

// submittedFields is the submitted form, without the fields that the confirmation sets.
func submittedFields(r *pagekit.Request) (fields []typedField) {
	for _, name := range slices.Sorted(maps.Keys(r.Form)) {
		if name != "sure" {
			fields = append(fields, typedField{name, r.Form.Get(name)})
		}
	}
	return fields
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// formPath is the address of a change's form.
func formPath(c change) string {
	if c.typ != "" {
		return "/type/" + string(c.typ)
	}
	return "/" + c.do
}

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }
