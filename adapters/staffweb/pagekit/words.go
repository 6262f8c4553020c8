package pagekit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
	"frontdesk/projections/history"
)

// DescribeRights describes an application's rights to these endpoints, in the order of the
// catalogue. An endpoint that is no longer in the catalogue is listed by name, so that
// none is left out.
func DescribeRights(endpoints []application.EndpointName) []string {
	var texts []string
	left := slices.Clone(endpoints)
	for _, e := range access.Endpoints() {
		if i := slices.Index(left, e.Name); i >= 0 {
			texts = append(texts, e.Words)
			left = slices.Delete(left, i, i+1)
		}
	}
	for _, name := range left {
		texts = append(texts, "use “"+string(name)+"”")
	}
	return texts
}

// EndpointWords complete "It asked to …".
func EndpointWords(name application.EndpointName) string {
	if words := DescribeRights([]application.EndpointName{name})[0]; words != "" {
		return words
	}
	return "check that it can call"
}

// RoleNames are the roles in plain words.
var RoleNames = map[staff.Role]string{
	staff.Receptionist: "receptionist", staff.Clinician: "clinician", staff.Manager: "manager", staff.PrivacyOfficer: "privacy officer",
}

// RoleList lists roles.
func RoleList(roles staff.Roles) string {
	if len(roles) == 0 {
		return "no role"
	}
	return joined(roles, "", " and ")
}

// AnyRole describes a member with one of some roles.
func AnyRole(roles []staff.Role) string { return joined(roles, "a ", " or ") }

func joined(roles []staff.Role, article, last string) string {
	text := ""
	for i, role := range roles {
		switch {
		case i > 0 && i == len(roles)-1:
			text += last
		case i > 0:
			text += ", "
		}
		text += article + RoleNames[role]
	}
	return text
}

// Plain is a name for places without bidi isolation, such as a title: without invisible
// characters, and those that change the text direction.
func Plain(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.In(c, unicode.Cc, unicode.Bidi_Control) {
			return -1
		}
		return c
	}, name)
}

// Counted formats a number of things.
func Counted(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	return Number(n) + " " + name + "s"
}

// Number formats a non-negative number, with a comma before each three digits.
func Number(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return Number(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// RequestNames are the types of requests in plain words, in the singular.
var RequestNames = map[request.Type]string{request.Medical: "Medical request", request.Admin: "Admin request"}

// ActorName names the actor of an event.
func ActorName(r *Request, h history.Entry) string {
	switch {
	case r.IsActor(h):
		return "You"
	case h.By != "":
		return Plain(h.By)
	case h.Actor.Kind == event.ByApplication:
		return "An application"
	}
	return "Somebody"
}

// IsActor reports whether the signed-in member is the actor of an event.
func (r *Request) IsActor(h history.Entry) bool {
	return h.Actor.Kind != event.ByOperator && h.Actor.Member() == r.Session.Staff.UUID
}
