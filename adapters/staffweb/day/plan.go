package day

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/appointment"
	"frontdesk/domain/parse"
	"frontdesk/domain/staff"
	"frontdesk/projections"
)

// planFields are the fields of an appointment's clinician, length and kind.
type planFields struct {
	Clinician, Kind pagekit.Choice
	Minutes         pagekit.Field
}

// lengthError asks for a valid length.
const lengthError = "Enter a length of 5 to 120 minutes, or leave it empty"

// planned are the names of the plan's fields in forms.
var planned = []string{"clinician", "minutes", "kind"}

// planFieldsOf are filled in with the typed values, or else with a plan.
func (s *Section) planFieldsOf(r *pagekit.Request, of projections.Appointment, faults pagekit.FormErrors) (f planFields, err error) {
	clinician, minutes, kind := of.Clinician.String(), "", string(of.Kind)
	if of.Minutes > 0 {
		minutes = strconv.Itoa(of.Minutes)
	}
	if r.Form.Has("minutes") {
		clinician, minutes, kind = r.Form.Get("clinician"), r.Form.Get("minutes"), r.Form.Get("kind")
	}
	f.Minutes = pagekit.Field{ID: "minutes", Label: "Length in minutes", Hint: "From 5 to 120", Kind: "text", Value: minutes, Optional: true, Fill: "off", Fault: faults.Fault("minutes")}
	f.Kind = pagekit.Choice{ID: "kind", Label: "Kind", None: "Not set", Fault: faults.Fault("kind")}
	for _, each := range appointment.Kinds() {
		f.Kind.Options = append(f.Kind.Options, pagekit.Option{Value: string(each), Name: pagekit.KindNames[each], Chosen: string(each) == kind})
	}
	f.Clinician = pagekit.Choice{ID: "clinician", Label: "Clinician", None: "No one in particular", Fault: faults.Fault("clinician")}
	id, _ := parse.SomeID(clinician)
	f.Clinician.Options, err = s.clinicians(r, staff.ID{UUID: id})
	if !slices.ContainsFunc(f.Clinician.Options, chosen) && of.Clinician.String() == clinician && of.ClinicianName != "" {
		f.Clinician.Options = append(f.Clinician.Options, pagekit.Option{Value: clinician, Name: pagekit.Plain(of.ClinicianName) + " (no longer a clinician)", Chosen: true})
	}
	return f, err
}

func chosen(o pagekit.Option) bool { return o.Chosen }

// clinicians are the practice's clinicians by name.
func (s *Section) clinicians(r *pagekit.Request, chosen staff.ID) (options []pagekit.Option, err error) {
	people, err := s.People.List(r.Context(), r.Tenant)
	if err != nil {
		return nil, err
	}
	for _, p := range people {
		if p.Active && p.Roles.Has(staff.Clinician) {
			options = append(options, pagekit.Option{Value: p.Staff.String(), Name: pagekit.Plain(p.Name), Chosen: p.Staff == chosen})
		}
	}
	return options, nil
}

// readPlan reads the plan in the form, or else returns the one that the appointment has.
func readPlan(r *pagekit.Request, instead appointment.Plan) (plan appointment.Plan, err error) {
	if !r.Form.Has("minutes") {
		return instead, nil
	}
	plan.Clinician, plan.Kind = readClinician(r), appointment.Kind(r.Form.Get("kind"))
	if typed := strings.TrimSpace(r.Form.Get("minutes")); typed != "" {
		if plan.Minutes, err = strconv.Atoi(typed); err != nil || plan.Minutes == 0 {
			return plan, fieldError("minutes", lengthError)
		}
	}
	return plan, nil
}

// readClinician is the clinician in the form; zero for none.
func readClinician(r *pagekit.Request) (id staff.ID) {
	id.UUID, _ = parse.SomeID(r.Form.Get("clinician"))
	return id
}

// planFault returns the refusal of a plan as the fault of its field.
func planFault(err error) (wrong pagekit.FormErrors, ok bool) {
	switch {
	case errors.Is(err, appointment.ErrInvalidLength):
		return pagekit.FormError("minutes", lengthError), true
	case errors.Is(err, appointment.ErrUnknownKind):
		return pagekit.FormError("kind", "Choose a kind from the list"), true
	case errors.Is(err, appointment.ErrNoClinician):
		return pagekit.FormError("clinician", "Choose a clinician of the practice"), true
	}
	return wrong, false
}

// typedAddress adds the fields of place, time and plan to an address, as they were typed.
func typedAddress(r *pagekit.Request, address string) string {
	query := url.Values{}
	for _, name := range append([]string{"site", "date", "time"}, planned...) {
		query.Set(name, r.Form.Get(name))
	}
	return address + "&" + query.Encode()
}
