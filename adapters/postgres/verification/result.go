package verification

import (
	"fmt"

	"frontdesk/adapters/postgres"
)

// Check says which comparison has found something.
type Check string

// The comparisons.
const (
	Gap        Check = "gap"        // the log is not dense, or does not agree with the events
	Built      Check = "tree"       // the prover's tables are not of what is stored
	Published  Check = "checkpoint" // a published checkpoint is not of what is stored
	KeptNote   Check = "kept"       // a checkpoint that was kept is not of what is stored
	BoxesOfLog Check = "box"        // a box does not open, or its key is lost
	Passwords  Check = "password"   // a password's hash is not the one that the log knows
	Schema     Check = "schema"     // an object of the database is not as this program was built for
	ReadModels Check = "read-model" // a read model is not what the log makes of it
)

// Finding is something that is not as it was.
type Finding struct {
	Check  Check  `json:"check"`
	Tenant string `json:"tenant,omitempty"`
	Kind   string `json:"kind,omitempty"`  // of the tree; "" if it is about none
	N      *int64 `json:"n,omitempty"`     // the first number in the tree that differs; nil if none is known
	Idx    int64  `json:"idx,omitempty"`   // the first one in the log, or in the access record
	Count  int64  `json:"count,omitempty"` // how many there are
	Says   string `json:"says"`
}

// Record says how much of the log, or of the access record, was read.
type Record struct {
	Count     int64 `json:"count"`
	UpTo      int64 `json:"upTo"`      // the last idx
	Trees     int   `json:"trees"`     // that it belongs to
	Uncovered int64 `json:"uncovered"` // that are behind the newest checkpoint of their tree
}

// Result says what was verified.
type Result struct {
	Events    Record          `json:"events"`
	Calls     Record          `json:"calls"`
	Published int             `json:"published"` // checkpoints that hold
	Kept      int             `json:"kept"`      // checkpoints that hold
	Ended     int             `json:"ended"`     // published ones that cover what an epoch has lost
	Boxes     *postgres.Boxes `json:"boxes"`     // nil if none was looked at
	Found     []*Finding      `json:"found"`
	More      int64           `json:"more"`      // findings that are not listed
	Unchecked []string        `json:"unchecked"` // what could not be checked, and why
}

// mostFound bounds the findings that are kept.
const mostFound = 200

// Add adds a finding, and returns it.
func (r *Result) Add(f Finding, format string, args ...any) *Finding {
	f.Says = fmt.Sprintf(format, args...)
	if len(r.Found) == mostFound {
		r.More++
		return &f
	}
	r.Found = append(r.Found, &f)
	return &f
}

// Uncheck says that something could not be checked, and why.
func (r *Result) Uncheck(format string, args ...any) {
	r.Unchecked = append(r.Unchecked, fmt.Sprintf(format, args...))
}
