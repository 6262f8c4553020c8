package projections

import (
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// GuardsFor returns statements that refuse an append if it breaks a rule about several
// streams. They run after the projections of the append, and not in a rebuild: a
// rebuild follows the order of the log, which may differ from the order of the checks.
func GuardsFor(r event.Recorded) []Statement {
	if r.Metadata.Actor.Kind != event.ByStaff || !takesManager(r.Event) {
		return nil
	}
	tenant := []any{r.Stream.Tenant}
	return []Statement{{sql: lockStaff, args: tenant}, {sql: keepManager, args: tenant}}
}

// takesManager reports whether an event may leave a practice with one fewer manager who
// can sign in (D63).
func takesManager(e event.Event) bool {
	switch e.(type) {
	case staff.RolesSet, staff.Reset, staff.Deactivated:
		return true
	}
	return false
}

// Two managers who each remove the other would each still count the other. So the
// second waits for the first here, and counts afterwards. No other code locks the row.
const (
	lockStaff   = `SELECT FROM practices WHERE tenant = $1 FOR NO KEY UPDATE`
	keepManager = `
SELECT count(*)::managers_left FROM staff s
WHERE s.tenant = $1 AND s.active AND s.credential IS NOT NULL AND 'manager' = ANY (` + RolesOfStaff + `)`
)
