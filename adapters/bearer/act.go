package bearer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/domain/event"
)

// readAct reads the act claim of an application-restricted token (D6). It returns
// nil if absent.
func (c claims) readAct() (*event.OnBehalfOf, error) {
	switch {
	case isNull(c.act):
		return nil, nil
	case c.sub != c.iss:
		return nil, errActOnUser
	}
	var act struct {
		Practitioner jsontext.Value `json:"practitioner"`
		Organisation jsontext.Value `json:"organisation"`
		Role         jsontext.Value `json:"role"`
		Purpose      jsontext.Value `json:"purpose"`
	}
	if object(c.act, &act) != nil {
		return nil, errAct.filled("act", "an object")
	}
	practitioner, err := readPractitioner(act.Practitioner)
	if err != nil {
		return nil, err
	}
	organisation, err := readOrganisation(act.Organisation)
	if err != nil {
		return nil, err
	}
	return &event.OnBehalfOf{
		Practitioner: practitioner, Organisation: organisation, Role: remark(act.Role), Purpose: remark(act.Purpose),
	}, nil
}

// maxRemark is the maximum number of characters of a role or a purpose.
const maxRemark = 64

// remark returns a member that is not in the contract. A token must not be refused for
// it, so anything but a short text counts as absent (D82).
func remark(v jsontext.Value) string {
	s, ok := printable(v)
	if !ok || !isName(s) || utf8.RuneCountInString(s) > maxRemark {
		return ""
	}
	return s
}

func readPractitioner(raw jsontext.Value) (event.Practitioner, error) {
	var p struct {
		Name  jsontext.Value `json:"name"`
		Email jsontext.Value `json:"email"`
		GMC   jsontext.Value `json:"gmc_number"`
	}
	if object(raw, &p) != nil {
		return event.Practitioner{}, errAct.filled("act.practitioner", "an object")
	}
	var reader actReader
	practitioner := event.Practitioner{
		Name:      reader.text("act.practitioner.name", p.Name, isName, "a name of printable characters"),
		Email:     reader.text("act.practitioner.email", p.Email, isEmail, "an e-mail address"),
		GMCNumber: reader.optional("act.practitioner.gmc_number", p.GMC, isGMCNumber, "seven digits"),
	}
	return practitioner, reader.err
}

func readOrganisation(raw jsontext.Value) (event.Organisation, error) {
	var o struct {
		Name jsontext.Value `json:"name"`
		ODS  jsontext.Value `json:"ods_code"`
	}
	if object(raw, &o) != nil {
		return event.Organisation{}, errAct.filled("act.organisation", "an object")
	}
	var reader actReader
	organisation := event.Organisation{
		Name:    reader.text("act.organisation.name", o.Name, isName, "a name of printable characters"),
		ODSCode: reader.optional("act.organisation.ods_code", o.ODS, isAny, "a string of printable characters"),
	}
	return organisation, reader.err
}

// actReader reads the members of act and keeps the first refusal.
type actReader struct{ err error }

func (a *actReader) text(name string, v jsontext.Value, ok func(string) bool, want string) string {
	s, isText := printable(v)
	if a.err == nil && (!isText || !ok(s)) {
		a.err = errAct.filled(name, want)
	}
	return s
}

func (a *actReader) optional(name string, v jsontext.Value, ok func(string) bool, want string) string {
	if isNull(v) {
		return ""
	}
	return a.text(name, v, ok, want)
}

func isAny(string) bool { return true }

func isName(s string) bool { return strings.TrimSpace(s) != "" }

// isEmail reports whether s has one @ with something on both sides, and no spaces.
func isEmail(s string) bool {
	user, host, _ := strings.Cut(s, "@")
	return user != "" && host != "" && !strings.Contains(host, "@") && !strings.ContainsFunc(s, unicode.IsSpace)
}

func isGMCNumber(s string) bool {
	return len(s) == 7 && strings.Trim(s, "0123456789") == ""
}
