package witness

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/proof"
)

// settleAfter is how old a cosignature is when a log may no longer lose the entries that it
// covers, not even with an epoch. It is longer than a failover, and short enough that a thief of the
// log's key cannot sign another past.
const settleAfter = 10 * time.Minute

// settled is how much of a log was cosigned some time ago. It is kept as a note that the
// witness has signed:
//
//	frontdesk/settled/v1
//	<origin without the epoch>
//	<size> <next> <when next was cosigned, in seconds since 1970>
type settled struct {
	Size int64 // it was cosigned longer ago than next
	Next int64
	At   int64
}

const (
	settledForm = "frontdesk/settled/v1"
	settledFile = ".settled" // behind the name of a log's state
)

// until returns the size that a log may no longer lose at a moment.
func (s settled) until(now time.Time) int64 {
	if s.due(now) {
		return s.Next
	}
	return s.Size
}

func (s settled) due(now time.Time) bool { return now.Sub(time.Unix(s.At, 0)) >= settleAfter }

func (s settled) text(o proof.Origin) string {
	return fmt.Sprintf("%s\n%s\n%d %d %d\n", settledForm, logOf(o), s.Size, s.Next, s.At)
}

// settled reads the settled sizes of an origin's log.
func (w *Witness) settled(o proof.Origin) (s settled, err error) {
	signed, err := w.State.Read(fileOfLog(o) + settledFile)
	if err != nil || signed == nil {
		return s, err
	}
	opened, err := note.Open(signed, note.VerifierList(w.Key))
	if err != nil {
		return s, errState
	}
	_, err = fmt.Sscanf(opened.Text, settledForm+"\n"+logOf(o)+"\n%d %d %d\n", &s.Size, &s.Next, &s.At)
	if err != nil || s.text(o) != opened.Text {
		return s, errors.Join(errState, err)
	}
	return s, nil
}

// settle notes that a checkpoint was cosigned. It writes at most once in settleAfter.
func (w *Witness) settle(c proof.Checkpoint) error {
	s, err := w.settled(c.Origin)
	if err != nil || s.At > 0 && !s.due(w.Now()) {
		return err
	}
	return w.writeSettled(c.Origin, settled{Size: s.Next, Next: c.Size, At: w.Now().Unix()})
}

// resettle notes that a log has lost its entries behind a size.
func (w *Witness) resettle(o proof.Origin, kept int64) error {
	s, err := w.settled(o)
	if err != nil || s.Next <= kept {
		return err
	}
	return w.writeSettled(o, settled{Size: min(s.Size, kept), Next: kept, At: s.At})
}

func (w *Witness) writeSettled(o proof.Origin, s settled) error {
	signed, err := note.Sign(&note.Note{Text: s.text(o)}, w.Key)
	if err != nil {
		return fmt.Errorf("sign the settled sizes of a log: %w", err)
	}
	return w.State.Write(fileOfLog(o)+settledFile, signed)
}
