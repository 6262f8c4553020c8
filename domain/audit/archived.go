package audit

import (
	"time"

	"frontdesk/domain/event"
)

// Archived records that a period of a record outside the log was written to a file, and
// is deleted from the database. Its metadata has the actor.
type Archived struct {
	Name   string       `json:"name"`          // of the archive; the file is <name>.jsonl.gz
	Record string       `json:"record"`        // "access_record" or "delivered", the table
	From   time.Time    `json:"from,omitzero"` // zero: from the beginning
	To     time.Time    `json:"to"`            // exclusive
	Lines  int64        `json:"lines"`
	SHA256 event.Digest `json:"sha256"` // of the file
}

// EventName returns the name that the event is stored under.
func (Archived) EventName() string { return "audit.archived.v1" }

// StreamOfArchive returns the stream of an archive. It has one event, so nothing is
// archived twice.
func StreamOfArchive(name string) event.Stream {
	return event.Stream{ID: event.DerivedID("archive", name)}
}
