package verification

import (
	"fmt"

	"frontdesk/adapters/postgres/keyring"
)

// Check is the comparison of a finding.
type Check string

// The comparisons.
const (
	Gap        Check = "gap"        // the log has a gap, or does not match the events
	Built      Check = "tree"       // the prover's tables do not match the stored data
	Published  Check = "checkpoint" // a published checkpoint does not match the stored data
	KeptNote   Check = "kept"       // a kept checkpoint does not match the stored data
	BoxesOfLog Check = "box"        // a box does not open, or its key is lost
	Passwords  Check = "password"   // a password's hash does not match the log
	Files      Check = "file"       // a file is not the one that an event names
	Deliveries Check = "delivery"   // a delivery does not match the log
	Passkeys   Check = "passkey"    // a passkey does not match the log
	Keys       Check = "key"        // a key of an erased person is back
	Schema     Check = "schema"     // an object of the database differs from this program's
	ReadModels Check = "read-model" // a read model does not match the log
)

// Finding is a detected difference.
type Finding struct {
	Check  Check  `json:"check"`
	Tenant string `json:"tenant,omitempty"`
	Kind   string `json:"kind,omitempty"`  // of the tree; "" for none
	N      *int64 `json:"n,omitempty"`     // the first number in the tree that differs; nil if unknown
	Idx    int64  `json:"idx,omitempty"`   // the first one in the log, or in the access record
	Count  int64  `json:"count,omitempty"` // how many there are
	Says   string `json:"says"`
}

// Record is how much of the log, or of the access record, was read.
type Record struct {
	Count     int64 `json:"count"`
	UpTo      int64 `json:"upTo"`      // the last idx
	Trees     int   `json:"trees"`     // trees that it belongs to
	Uncovered int64 `json:"uncovered"` // those after the newest checkpoint of their tree
}

// LeftEpoch is an earlier epoch. Entries of it behind those that the trees have kept are not
// proved.
type LeftEpoch struct {
	Epoch int `json:"epoch"`
	Trees int `json:"trees"` // how many have entries of it
}

// Result is the result of a verification.
type Result struct {
	Events    Record         `json:"events"`
	Calls     Record         `json:"calls"`
	Published int            `json:"published"` // valid checkpoints
	Kept      int            `json:"kept"`      // valid checkpoints
	Ended     int            `json:"ended"`     // published ones that cover lost entries of an epoch
	Epoch     int            `json:"epoch"`     // of the newest checkpoint; 0 without one
	Left      []LeftEpoch    `json:"left"`      // the earlier epochs that checkpoints name
	Boxes     *keyring.Boxes `json:"boxes"`     // nil if none was checked
	Files     *FilesRead     `json:"files"`     // nil if none was read
	Delivered *int64         `json:"delivered"` // deliveries that were compared; nil if none was
	Backdated Backdated      `json:"backdated"` // no differences: they are named, and stay
	Found     []*Finding     `json:"found"`
	More      int64          `json:"more"`      // findings that are not listed
	Unchecked []string       `json:"unchecked"` // checks that were not possible, with the reason
}

// FilesRead are the files that events name.
type FilesRead struct {
	Read   int64 `json:"read"`   // whose stored bytes were compared
	Opened int64 `json:"opened"` // of these, those that were decrypted
	Erased int64 `json:"erased"` // that are gone with their patients
}

// mostFound limits the listed findings.
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

// Uncheck adds a check that was not possible, with the reason.
func (r *Result) Uncheck(format string, args ...any) {
	r.Unchecked = append(r.Unchecked, fmt.Sprintf(format, args...))
}
