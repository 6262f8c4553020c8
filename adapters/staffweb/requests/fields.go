package requests

import (
	"cmp"
	"strings"

	"frontdesk/adapters/staffweb/frame"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// whoReads says who may come to read what staff write about a request.
const whoReads = "Colleagues see this. So does the patient, if they ask for their data."

// wordsOf is the one field in which staff write about a request. What is typed there stays
// until it is used, whatever else is done to the request.
func wordsOf(found projections.Request, said said) frame.Area {
	label := "Note, or how it ended"
	if found.Done != nil {
		label = "Note, or why it has to be reopened"
	}
	return frame.Area{ID: "text", Label: label, Hint: whoReads, Value: said.typed.text, Fault: said.Fault("text")}
}

func outcomesOf(chosen string) (options []frame.Option) {
	for _, outcome := range request.Outcomes() {
		options = append(options, frame.Option{Value: string(outcome), Name: outcomeNames[outcome], Chosen: string(outcome) == chosen})
	}
	return options
}

// typedIn is what the form has.
func typedIn(v *frame.Visit) typed {
	return typed{text: v.Text("text"), outcome: v.Form.Get("outcome"), to: v.Form.Get("to")}
}

// wrong says what is wrong with a text that is refused.
func (t typed) wrong(refusal *fault.Error) string {
	return cmp.Or(frame.TooLong(t.text, request.MaxText), refusal.Detail)
}

// left reports whether something was written that an act has not used.
func (t typed) left() bool { return strings.TrimSpace(t.text) != "" }
