package patients

import (
	"fmt"

	"frontdesk/projections"
)

// visits are the states of an appointment.
var visits = map[projections.Status]string{
	projections.StatusBooked: "booked", projections.StatusCalledIn: "called in", projections.StatusAttended: "attended",
	projections.StatusDidNotAttend: "did not attend", projections.StatusCancelled: "cancelled",
}

// requestState describes the state of a request.
func requestState(r projections.InboxRow) string {
	switch {
	case r.InError:
		return "entered in error"
	case r.DoneAt != nil:
		return "done"
	case r.HolderName != "":
		return fmt.Sprintf("open, %s has it", r.HolderName)
	}
	return "new"
}
