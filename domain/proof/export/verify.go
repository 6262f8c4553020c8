package export

import (
	"io"
	"math"

	"frontdesk/domain/fault"
	"frontdesk/domain/proof"
)

// The errors of an export, or a log, that differs from the signed one.
var (
	errAltered  = fault.New(fault.Refused, "altered", "The export is not what was signed.")
	errMissing  = fault.New(fault.Refused, "events-missing", "The export ends before the checkpoint does.")
	errBeyond   = fault.New(fault.Refused, "not-covered", "The export goes on behind the checkpoint.")
	errShorter  = fault.New(fault.Refused, "rolled-back", "The log is shorter than it was.")
	errLost     = fault.New(fault.Refused, "end-lost", "The log has lost its end with an epoch.")
	errOtherLog = fault.New(fault.Invalid, "another-log", "These checkpoints are of different logs: give two of the same.")
	errForked   = fault.New(fault.Refused, "two-histories", "The service has signed two histories.")
	errNoLeaf   = fault.New(fault.Invalid, "no-event-in-proof", "The proof has no line that says what it proves.")
	errBegins   = fault.New(fault.Refused, "beginning-missing", "The file does not begin with number 0, and events are never moved to archives: its beginning was taken away.")
	errNumber   = fault.New(fault.Refused, "another-number", "The proof is for another number than its line.")
)

// Verify reads an export to its end. It returns an error unless the newest checkpoint
// covers the export exactly, and each kept one covers its beginning. The checkpoints
// were opened by a policy. An export that does not begin with number 0 extends a tree;
// earlier kept checkpoints are not compared. No export of events does: only calls are
// moved to archives.
func Verify(r io.Reader, from proof.Edge, newest proof.Checkpoint, kept []proof.Checkpoint, progress func(lines int64)) (Tally, error) {
	return verify(r, from, newest, kept, progress, nil)
}

// verify is [Verify], and passes each line to see, which may refuse it. See may be nil.
func verify(r io.Reader, from proof.Edge, newest proof.Checkpoint, kept []proof.Checkpoint, progress func(lines int64), see func(Line) error) (Tally, error) {
	marks := []Mark{{Size: newest.Size, Root: newest.Root}}
	for _, k := range kept {
		if err := GoesOn(k, newest); err != nil {
			return Tally{}, err
		}
		marks = append(marks, Mark{Size: k.Size, Root: k.Root})
	}
	left := newest.Left.All()
	for _, l := range left {
		marks = append(marks, Mark{Size: l.Size, Root: l.Root})
	}
	t, err := check(r, from, marks, progress, see)
	if err != nil {
		return t, err
	}
	if t.From > 0 && t.Shown > t.Access {
		return t, errBegins
	}
	if err := complete(t, newest.Size); err != nil {
		return t, err
	}
	if !marks[0].Fits {
		first, last := between(marks, from.Size)
		return t, errAltered.With("The file is not what was signed: something from number %d to number %d was changed, added, taken away or moved.", first, last)
	}
	for n, mark := range marks[1:] {
		switch {
		case mark.Fits || mark.Size < from.Size:
		case n < len(kept):
			return t, forked(kept[n], newest)
		default:
			return t, errForked.With("The file is what the checkpoint covers, and does not begin with the %d numbers that the checkpoint names of epoch %d.",
				mark.Size, left[n-len(kept)].Epoch)
		}
	}
	return t, nil
}

// complete returns an error unless an export ends at the size of the checkpoint.
func complete(t Tally, size int64) error {
	switch next := t.From + t.Lines; {
	case next < size:
		return errMissing.With("The file ends before number %d, and the checkpoint covers %d numbers: the last %d are missing.", next, size, size-next)
	case next > size:
		return errBeyond.With("The file goes on to number %d, and the checkpoint covers %d numbers: nothing vouches for number %d and what follows.", next-1, size, size)
	}
	return nil
}

// between returns the first and the last number between which the first difference is.
func between(marks []Mark, from int64) (first, last int64) {
	first, last = from, math.MaxInt64
	for _, mark := range marks {
		if mark.Fits {
			first = max(first, mark.Size)
		}
	}
	for _, mark := range marks {
		if !mark.Fits && mark.Size > first {
			last = min(last, mark.Size-1)
		}
	}
	return first, last
}

// GoesOn returns an error unless a checkpoint can be a later one of the kept log. A log
// keeps its identifier when an epoch ends, and loses what the kept checkpoint covers behind
// the part that the newest one names.
func GoesOn(kept, newest proof.Checkpoint) error {
	left, named := newest.Left.Of(kept.Origin.Epoch)
	switch {
	case kept.Origin.Log != newest.Origin.Log:
		return errOtherLog
	case named && kept.Size > left.Size:
		return errLost.With("The log has lost the numbers %d to %d with epoch %d, and the kept checkpoint covers them.%s",
			left.Size, kept.Size-1, kept.Origin.Epoch, ofEpochs(kept, newest))
	case kept.Size > newest.Size:
		return errShorter.With("The log has %d numbers now and had %d when the kept checkpoint was signed: what it covered was taken away.%s",
			newest.Size, kept.Size, ofEpochs(kept, newest))
	case kept.Origin.Epoch > newest.Origin.Epoch:
		return errForked.With("The kept checkpoint is of epoch %d, and the one that is taken for the newest of epoch %d, before it.", kept.Origin.Epoch, newest.Origin.Epoch)
	}
	return nil
}

func forked(kept, newest proof.Checkpoint) error {
	return errForked.With("The file is what the newest checkpoint covers, and does not begin with what the kept one of %d numbers covers: two histories were signed.%s",
		kept.Size, ofEpochs(kept, newest))
}

// ofEpochs adds a hint for a log that has lost its end, which is recorded in it.
func ofEpochs(kept, newest proof.Checkpoint) string {
	if kept.Origin.Epoch == newest.Origin.Epoch {
		return ""
	}
	return " A new epoch of the log was begun since, after a restore or a loss of its end: the events log.epoch-begun.v1 of no practice say what is missing."
}

// Included checks that a line of an export is at a proof's number in the tree of a
// checkpoint. The proof carries the line, and a policy has opened the checkpoint.
func Included(p proof.Inclusion, of proof.Checkpoint) (Line, error) {
	var parser Parser
	line, ok := parser.Parse(p.Extra)
	switch {
	case !ok:
		return Line{}, errNoLeaf
	case line.N != p.Index:
		return Line{}, errNumber.With("The proof is for number %d, and its line has number %d.", p.Index, line.N)
	}
	return line, p.Check(line.Hash, of)
}
