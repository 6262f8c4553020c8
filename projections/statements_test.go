package projections_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// Rows for one table share a statement, and none overtakes another change of its
// projection.
func TestRowsShareAStatement_D134(t *testing.T) {
	t.Parallel()
	ann := patient.ID{UUID: uuid.New()}
	recorded := func(e event.Event, idempotency event.Idempotency) event.Recorded {
		return event.Recorded{
			ID: uuid.New(), Stream: event.Stream{Tenant: "elm-street", ID: uuid.New()}, At: time.Unix(1, 0), Event: e,
			Metadata: event.Metadata{Idempotency: idempotency},
		}
	}
	submitted := func() event.Recorded { return recorded(request.Submitted{Patient: ann}, event.Idempotency{}) }
	keyed := recorded(request.Submitted{Patient: ann}, event.Idempotency{Key: event.Digest{1}, Body: strings.Repeat("ab", 32)})
	note := recorded(record.NoteCreated{Patient: ann}, event.Idempotency{})
	erased := recorded(patient.Erased{Patient: ann}, event.Idempotency{})

	for name, c := range map[string]struct {
		page []event.Recorded
		all  []projections.Projection
		want string // the statements, in order
	}{
		"one table":         {[]event.Recorded{submitted(), note, submitted()}, []projections.Projection{projections.CareRecords{}}, "INSERT record_entries 3"},
		"another change":    {[]event.Recorded{note, note, erased, note}, []projections.Projection{projections.CareRecords{}}, "INSERT record_entries 2, DELETE record_entries, INSERT record_entries 1"},
		"two projections":   {[]event.Recorded{note, note}, []projections.Projection{projections.CareRecords{}, projections.Timeline{}}, "INSERT record_entries 2, INSERT timeline 2"},
		"other projections": {[]event.Recorded{keyed, keyed}, []projections.Projection{projections.IdempotentResponses{}, projections.CareRecords{}}, "DELETE answers, INSERT answers 1, INSERT record_entries 2, DELETE answers, INSERT answers 1"},
		"nothing":           {nil, []projections.Projection{projections.Inbox{}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var statements []projections.Statement
			for _, e := range c.page {
				statements = append(statements, projections.StatementsFor(e, c.all...)...)
			}
			batch := &pgx.Batch{}
			projections.Queue(batch, statements)
			var got []string
			for _, q := range batch.QueuedQueries {
				got = append(got, summary(q))
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}

// summary is the verb and table of a statement, and its number of rows.
func summary(q *pgx.QueuedQuery) string {
	words := strings.Fields(q.SQL)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "INTO" || w == "FROM" })
	does := words[0] + " " + words[1]
	if rows, is := q.Arguments[0].(pgtype.ArrayGetter); is {
		does += fmt.Sprint(" ", rows.Dimensions()[0].Length)
	}
	return does
}
