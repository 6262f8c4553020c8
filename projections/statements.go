package projections

import (
	"maps"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Statement updates a projection for an event.
type Statement struct {
	projection string
	sql        string
	args       []any
}

// StatementsFor returns the statements that update projections for an event.
func StatementsFor(e event.Recorded, all ...Projection) (statements []Statement) {
	for _, p := range all {
		p.Project(e, func(sql string, args ...any) {
			statements = append(statements, Statement{p.Name(), sql, args})
		})
	}
	return statements
}

// column is an argument of a statement that inserts any number of rows: an array with a
// value for each of them.
type column = pgtype.FlatArray[any]

// row returns the arguments of a statement that inserts any number of rows, for one row.
func row(values ...any) []any {
	columns := make([]any, len(values))
	for n, value := range values {
		columns[n] = column{value}
	}
	return columns
}

// Queue adds statements to a batch. It combines inserts into one table, up to the next
// statement of the same projection that does anything else.
func Queue(batch *pgx.Batch, statements []Statement) {
	for _, s := range grouped(statements) {
		batch.Queue(s.sql, s.args...)
	}
}

func grouped(statements []Statement) []Statement {
	all := make([]Statement, 0, len(statements))
	open := map[string]int{} // the index in the batch of each statement that collects rows
	for _, s := range statements {
		at, found := open[s.sql]
		switch {
		case !s.insertsRows():
			maps.DeleteFunc(open, func(_ string, at int) bool { return all[at].projection == s.projection })
		case found:
			for n, values := range s.args {
				all[at].args[n] = append(all[at].args[n].(column), values.(column)...)
			}
			continue
		default:
			open[s.sql] = len(all)
		}
		all = append(all, s)
	}
	return all
}

func (s Statement) insertsRows() bool {
	if len(s.args) == 0 {
		return false
	}
	_, is := s.args[0].(column)
	return is
}

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
	keepManager = `SELECT count(*)::managers_left FROM staff s WHERE ` + managersOf
	managersOf  = `s.tenant = $1 AND s.active AND s.credential IS NOT NULL AND 'manager' = ANY (` + RolesOfStaff + `)`
)
