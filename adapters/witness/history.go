package witness

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/domain/proof"
)

// history is the epochs of a log that the witness has cosigned. It is kept as a note that
// the witness has signed, and monitors can read it:
//
//	frontdesk/epochs/v1
//	<origin without the epoch>
//	begins <epoch>
//	begins <epoch> after <epoch> cosigned <size> left <size>
//
// The last line ends in "accepted" if the epoch began without proofs.
type history struct {
	origin proof.Origin // of any epoch
	begun  []begun
}

// begun is the beginning of an epoch.
type begun struct {
	Epoch    int
	Before   int   // the epoch before; 0 if it is the first that the witness has seen
	Cosigned int64 // the size that was cosigned in that epoch
	Left     int64 // how many of these leaves are still in the log
	Accepted bool  // by the operator, without proofs
}

const (
	epochsForm = "frontdesk/epochs/v1"
	epochsFile = ".epochs" // behind the name of a log's state
)

// last returns the last epoch; the zero value of an empty history.
func (h history) last() begun {
	if len(h.begun) == 0 {
		return begun{}
	}
	return h.begun[len(h.begun)-1]
}

func logOf(o proof.Origin) string { return strings.TrimSuffix(o.String(), fmt.Sprintf("/%d", o.Epoch)) }

// fileOfLog returns the name of a log's state in all epochs.
func fileOfLog(o proof.Origin) string {
	sum := sha256.Sum256([]byte(logOf(o)))
	return hex.EncodeToString(sum[:])
}

func (b begun) String() string {
	text := fmt.Sprintf("begins %d", b.Epoch)
	if b.Before > 0 {
		text += fmt.Sprintf(" after %d cosigned %d left %d", b.Before, b.Cosigned, b.Left)
	}
	if b.Accepted {
		text += " accepted"
	}
	return text
}

func (h history) String() string {
	lines := []string{epochsForm, logOf(h.origin)}
	for _, b := range h.begun {
		lines = append(lines, b.String())
	}
	return strings.Join(lines, "\n") + "\n"
}

// history reads the epochs of an origin's log. A file that this witness has not signed is
// not trusted.
func (w *Witness) history(o proof.Origin) (history, error) {
	h := history{origin: o}
	signed, err := w.State.Read(fileOfLog(o) + epochsFile)
	if err != nil || signed == nil {
		return h, err
	}
	opened, err := note.Open(signed, note.VerifierList(w.Key))
	if err != nil {
		return h, errState
	}
	for _, line := range strings.Split(strings.TrimSuffix(opened.Text, "\n"), "\n")[2:] {
		b := begun{Accepted: strings.HasSuffix(line, " accepted")}
		_, _ = fmt.Sscanf(line, "begins %d after %d cosigned %d left %d", &b.Epoch, &b.Before, &b.Cosigned, &b.Left)
		h.begun = append(h.begun, b)
	}
	if h.String() != opened.Text {
		return h, errState
	}
	// A witness that was stopped before it stored the first checkpoint of an epoch has not
	// begun it.
	for len(h.begun) > 0 {
		if first, err := w.cosignedIn(h, h.last().Epoch); err != nil || first.Size > 0 {
			return h, err
		}
		h.begun = h.begun[:len(h.begun)-1]
	}
	return h, nil
}

// record adds an epoch to the history, before its first checkpoint is stored.
func (w *Witness) record(h history, b begun) error {
	h.begun = append(slices.Clone(h.begun), b)
	signed, err := note.Sign(&note.Note{Text: h.String()}, w.Key)
	if err != nil {
		return fmt.Errorf("sign the epochs of a log: %w", err)
	}
	return w.State.Write(fileOfLog(h.origin)+epochsFile, signed)
}

// cosignedIn returns the last checkpoint that was cosigned in an epoch of a log.
func (w *Witness) cosignedIn(h history, epoch int) (proof.Checkpoint, error) {
	origin := h.origin
	origin.Epoch = epoch
	last, _, err := w.last(fileOf(origin))
	return last, err
}
