package verification

import (
	"context"
	"fmt"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/domain/event"
	"frontdesk/domain/proof"
)

// Verification compares the stored data with its proofs. Each value serves one run.
type Verification struct {
	DB       postgres.DB
	Log      eventstore.Log
	Keys     *keyring.Keyring // opens boxes; without a master key none is checked
	Trusts   *proof.Policy    // the policy for checkpoints; nil if absent
	Salt     *proof.Salt      // of the service's logs; nil if absent
	Notes    []Kept
	Looks    []Look                // further checks of the events; may be empty
	Progress func(done, all int64) // receives the number of processed events; may be nil
}

// Look is a further check, which sees the events of the log in order.
type Look interface {
	// Page looks at the next events. They are as they are stored.
	Page(ctx context.Context, page []event.Stored, found *Result) error
	// End is called after the last page.
	End(ctx context.Context, found *Result) error
}

// reading is one run.
type reading struct {
	*Verification
	Result
	trees    map[proof.Tree]*tree
	reached  map[proof.Kind]int64 // the prover's initial positions
	differs  map[proof.Tree]*Finding
	head     int64               // of the log
	lastCall int64               // of the access record
	foreign  int                 // checkpoints of earlier days, of another key
	hashes   bool                // of passwords may be read
	cut      map[proof.Kind]bool // at a gap
}

// Run reads everything once. The result has the findings; an error means that the
// reading itself failed.
func (v *Verification) Run(ctx context.Context) (Result, error) {
	r := &reading{Verification: v, trees: map[proof.Tree]*tree{}, reached: map[proof.Kind]int64{}, differs: map[proof.Tree]*Finding{}, cut: map[proof.Kind]bool{}}
	r.Found, r.Unchecked, r.Left = []*Finding{}, []string{}, []LeftEpoch{}
	r.Backdated.First = []DatedEvent{}
	for _, step := range []func(context.Context) error{r.schema, r.built, r.promises, r.prepare, r.missingEvents, r.passkeys, r.events, r.looks, r.archived, r.calls} {
		if err := step(ctx); err != nil {
			return Result{}, fmt.Errorf("verify: %w", err)
		}
	}
	r.leftOver()
	return r.Result, nil
}

// schema compares the database's objects with those of this program: others could hide
// rows, or change later ones.
func (r *reading) schema(ctx context.Context) error {
	differences, err := postgres.SchemaDifferences(ctx, r.DB)
	for _, d := range differences {
		r.Add(Finding{Check: Schema}, "the schema is not this program's: %s", d)
	}
	return err
}

// prepare determines the possible checks, and the end of the log.
func (r *reading) prepare(ctx context.Context) (err error) {
	if r.Trusts == nil {
		r.Uncheck("whose the published checkpoints are: give the service's key")
	}
	if r.Salt == nil {
		r.Uncheck("whether each log is the only one of its practice: give the salt")
	}
	if r.Keys.Opens() {
		r.Boxes = &keyring.Boxes{}
	} else {
		r.Uncheck("whether boxes open: give the master key")
	}
	if r.hashes, err = r.readsHashes(ctx); err != nil {
		return err
	}
	if !r.hashes {
		r.Uncheck("hashes of passwords: this role may not read them, the owner may")
	}
	r.head, err = r.Log.Head(ctx)
	r.reportLag(proof.Events, r.head)
	return err
}

// reportLag reports the prover's lag behind the newest idx of a kind.
func (r *reading) reportLag(kind proof.Kind, newest int64) {
	if reached := r.reached[kind]; reached < newest {
		r.Uncheck("the prover's tables of %s behind idx %d: it has not come further", kind, reached)
	}
}

// missingEvents finds events that are not in the log, and entries of the log without an event.
func (r *reading) missingEvents(ctx context.Context) error {
	lost, err := r.Log.MissingEvents(ctx)
	for _, loss := range lost.First {
		r.Add(Finding{Check: Gap, Idx: loss.Idx, Count: 1}, "%s", loss)
	}
	r.More += lost.Count - int64(len(lost.First))
	return err
}
