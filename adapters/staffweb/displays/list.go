package displays

import (
	"errors"
	"net/http"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/commands"
	"frontdesk/domain/display"
	"frontdesk/domain/parse"
	"frontdesk/projections"
)

// listPage is the displays of a practice.
type listPage struct {
	Displays []row
	Removed  bool // one has just been removed
	Token    string
}

// row is one display.
type row struct {
	projections.Display
	Called string // how people are called, in words
	State  string // the screen's state, in words
}

// namings describe how people are called.
var namings = map[display.Naming]string{
	display.FullName: "full name, such as Ann Archer",
	display.Initials: "initials, such as A A",
	display.Number:   "the number of the appointment, such as 417 205",
}

// list shows a manager the displays of the practice, or the form of a new one.
func (s *Section) list(r *pagekit.Request) error {
	if r.Form.Has("add") {
		return s.addForm(r)
	}
	found, err := s.Displays.List(r.Context(), r.Tenant)
	if err != nil {
		return err
	}
	page := listPage{Removed: r.Form.Get("done") == "remove", Token: r.Token("displays")}
	for _, d := range found {
		page.Displays = append(page.Displays, row{d, namings[d.Naming], s.state(r, d)})
	}
	s.Show(r, pagekit.View{Template: templates["displays"], Status: http.StatusOK, Title: "Waiting room screens", Content: page})
	return nil
}

// state describes whether a screen shows the display.
func (s *Section) state(r *pagekit.Request, d projections.Display) string {
	until := pagekit.Clock(d.LinkUntil, r.Practice.Zone)
	switch {
	case d.SeenAt != nil:
		return "Last shown at " + pagekit.Clock(*d.SeenAt, r.Practice.Zone)
	case d.ConnectedAt != nil:
		return "Its link was opened at " + pagekit.Clock(*d.ConnectedAt, r.Practice.Zone)
	case s.Now().Before(d.LinkUntil):
		return "No screen has opened its link, which can be used until " + until
	default:
		return "No screen has opened its link, which could be used until " + until + ". Remove it and add another"
	}
}

// change runs a manager's action on displays.
func (s *Section) change(r *pagekit.Request) error {
	do := r.Form.Get("do")
	if !r.HasToken("displays") && do == "add" {
		return s.showUnsent(r)
	}
	if !r.HasToken("displays") {
		return pagekit.ErrStale
	}
	switch do {
	case "add":
		return s.add(r)
	case "remove":
		return s.remove(r)
	}
	return pagekit.ErrUnreadable
}

// remove turns a display off at once. Unlike adding one it needs no reauthentication:
// it reveals nothing.
func (s *Section) remove(r *pagekit.Request) error {
	id, ok := parse.SomeID(r.Form.Get("display"))
	if !ok {
		return pagekit.ErrUnreadable
	}
	err := s.Desk.RemoveDisplay(r.StaffContext(), commands.RemoveDisplay{Tenant: r.Tenant, Display: display.ID{UUID: id}})
	if errors.Is(err, display.ErrUnknown) {
		return errGone
	}
	if err != nil {
		return err
	}
	return r.Redirect(r.Base() + "/displays?done=remove")
}
