package refusals

import (
	"frontdesk/adapters/httpapi"
	"frontdesk/domain/fault"
)

// Code is one code, with everything about it that a caller needs.
type Code struct {
	Code      string
	Status    int    // of HTTP
	Happened  string // as openapi.json describes it
	Wanted    string
	Do        string // for a sentence that has no advice of its own
	Retry     Retry
	Sentences []Sentence
}

// Sentence is one sentence that the code comes with.
type Sentence struct {
	Text string // with verbs of package fmt for the parts that vary from call to call
	Do   string // the fix
}

// Retry states whether the same call may be made again.
type Retry string

// The four answers.
const (
	AfterFix Retry = "Not as it is: the same call is refused again until it is fixed."
	Later    Retry = "Yes, later. `Retry-After` gives the seconds, where they are known."
	Again    Retry = "Yes, with the same `Idempotency-Key`: whether the call was carried out is not known."
	Never    Retry = "No."
)

// Codes returns the table, in the order of the contract's tables and then by status.
func Codes() []Code {
	codes := make([]Code, len(rows))
	for i, row := range rows {
		codes[i] = row.code()
	}
	return codes
}

// row is a line of the table as it is written: the faults of one code, which belong to their
// rules, and their descriptions.
type row struct {
	faults   fault.List
	happened string
	wanted   string
	do       string
	retry    Retry
	fix      func(*fault.Error) string // advice for each sentence; nil for none
}

func (r row) code() Code {
	first := r.faults[0]
	code := Code{
		Code: first.Code, Status: httpapi.Status(first.Kind),
		Happened: r.happened, Wanted: r.wanted, Do: r.do, Retry: r.retry,
	}
	for _, one := range r.faults {
		sentence := Sentence{Text: one.Detail, Do: r.do}
		if r.fix != nil {
			sentence.Do = r.fix(one)
		}
		code.Sentences = append(code.Sentences, sentence)
	}
	return code
}
