package pagekit

import (
	"strings"

	"frontdesk/domain/appointment"
	"frontdesk/domain/staff"
)

// KindNames are the kinds of appointments in plain words.
var KindNames = map[appointment.Kind]string{
	appointment.FaceToFace: "Face to face", appointment.Telephone: "Telephone", appointment.Video: "Video", appointment.HomeVisit: "Home visit",
}

// LengthText is the length of an appointment in words; "" if it is open.
func LengthText(minutes int) string {
	if minutes == 0 {
		return ""
	}
	return Counted(minutes, "minute")
}

// PlanText describes the plan of an appointment with its clinician's name, as "with Dr
// Hughes, 10 minutes, telephone"; "" for none.
func PlanText(plan appointment.Plan, clinician string) string {
	var parts []string
	if plan.Clinician != (staff.ID{}) {
		parts = append(parts, "with "+Plain(clinician))
	}
	if plan.Minutes > 0 {
		parts = append(parts, LengthText(plan.Minutes))
	}
	if plan.Kind != "" {
		parts = append(parts, strings.ToLower(KindNames[plan.Kind]))
	}
	return strings.Join(parts, ", ")
}
