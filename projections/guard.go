package projections

import (
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// GuardsFor returns what refuses an append that breaks a rule about several streams. It
// runs after the projections of the append, and in no rebuild: a rebuild goes by the order
// of the log, which may not be the order in which appends were judged.
func GuardsFor(r event.Recorded) []Statement {
	if r.Metadata.Actor.Kind != event.ByStaff || !takesManager(r.Event) {
		return nil
	}
	tenant := []any{r.Stream.Tenant}
	return []Statement{{sql: lockStaff, args: tenant}, {sql: keepManager, args: tenant}}
}

// takesManager reports whether an event may take a manager from the practice who can sign
// in (D63).
func takesManager(e event.Event) bool {
	switch e.(type) {
	case staff.RolesSet, staff.Reset, staff.Deactivated:
		return true
	}
	return false
}

// Two managers who act on each other would each still count the other. So the second
// waits for the first here, and counts what that one has left. Nobody else locks the row.
const (
	lockStaff   = `SELECT FROM practices WHERE tenant = $1 FOR NO KEY UPDATE`
	keepManager = `
SELECT count(*)::managers_left FROM staff s
WHERE s.tenant = $1 AND s.active AND s.credential IS NOT NULL AND 'manager' = ANY (` + RolesOfStaff + `)`
)
