package requests

import (
	"cmp"
	"strings"

	"frontdesk/adapters/staffweb/pagekit"
	"frontdesk/domain/fault"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// readersHint is the hint about the readers of staff's texts on a request.
const readersHint = "Colleagues see this. So does the patient, if they ask for their data."

// wordsOf is the one field for staff's texts on a request. The typed text stays until
// an action uses it.
func wordsOf(found projections.Request, response response) pagekit.Area {
	label := "Note, or how it ended"
	if found.Done != nil {
		label = "Note, or why it has to be reopened"
	}
	return pagekit.Area{ID: "text", Label: label, Hint: readersHint, Value: response.typed.text, Fault: response.Fault("text")}
}

func outcomesOf(chosen string) (options []pagekit.Option) {
	for _, outcome := range request.Outcomes() {
		options = append(options, pagekit.Option{Value: string(outcome), Name: outcomeNames[outcome], Chosen: string(outcome) == chosen})
	}
	return options
}

// typedIn returns the values of the form.
func typedIn(v *pagekit.Visit) typed {
	return typed{text: v.Text("text"), outcome: v.Form.Get("outcome"), to: v.Form.Get("to")}
}

// wrong describes the fault of a refused text.
func (t typed) wrong(refusal *fault.Error) string {
	return cmp.Or(pagekit.TooLong(t.text, request.MaxText), refusal.Detail)
}

// left reports whether there is text that no action has used.
func (t typed) left() bool { return strings.TrimSpace(t.text) != "" }
