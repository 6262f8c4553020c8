package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"frontdesk/adapters/postgres/verification"
	"frontdesk/cmd/frontdesk/cli/term"
	"frontdesk/domain/proof"
	"frontdesk/domain/proof/export"
)

// report lists the verified facts and the limits of the proof, in whole sentences.
type report struct {
	Sound       bool     `json:"sound"`
	Verified    []string `json:"verified"`
	NotVerified []string `json:"notVerified"`
	Wrong       string   `json:"wrong,omitempty"`
}

func (s *report) fact(format string, args ...any) {
	s.Verified = append(s.Verified, fmt.Sprintf(format, args...))
}

func (s *report) limit(format string, args ...any) {
	s.NotVerified = append(s.NotVerified, fmt.Sprintf(format, args...))
}

// print prints the report. A failure is the command's error, too.
func (s *report) print(w io.Writer, machine bool, wrong error) error {
	s.Sound = wrong == nil
	if machine {
		return s.printJSON(w, wrong)
	}
	for _, list := range []struct {
		title     string
		sentences []string
	}{{"Verified:", s.Verified}, {"Not verified:", s.NotVerified}} {
		if len(list.sentences) > 0 {
			fmt.Fprintf(w, "%s\n  - %s\n", list.title, strings.Join(list.sentences, "\n  - "))
		}
	}
	return nil
}

func (s *report) printJSON(w io.Writer, wrong error) error {
	if wrong != nil {
		s.Wrong = term.OneLine(wrong)
	}
	shown := *s
	shown.Verified, shown.NotVerified = append([]string{}, s.Verified...), append([]string{}, s.NotVerified...)
	return json.NewEncoder(w).Encode(shown)
}

// addSigned reports the signatures of the newest checkpoint.
func (s *report) addSigned(c proof.Checkpoint, by []string, p proof.Policy) {
	s.fact("The checkpoint is signed with the key %s+%08x that you gave. It covers %d entries of the log %s.", p.Key.Name(), p.Key.KeyHash(), c.Size, c.Origin)
	witnesses := len(p.Witnesses)
	if len(by) > 0 {
		s.fact("It is cosigned by %d of the %d witnesses whose keys you gave: %s.", len(by), witnesses, strings.Join(by, ", "))
	}
	if len(by) == 0 {
		s.limit("That everyone sees the same history. Give the keys of witnesses with --witness-key, or compare checkpoints with someone else.")
	}
	for _, left := range c.Left.All() {
		s.fact("It keeps the first %d entries of epoch %d.", left.Size, left.Epoch)
		s.limit("Entries of epoch %d after number %d: they may have been lost with its end. The event log.epoch-begun.v1 gives the time and the cause.", left.Epoch, left.Size-1)
	}
	s.limit("Entries after the first %d. Ask for a newer checkpoint.", c.Size)
}

// addExport reports the result for a whole export.
func (s *report) addExport(t export.Tally, c proof.Checkpoint, kept []verification.Kept) {
	s.fact("The file has all %d entries from number %d on. None was changed, added, removed or reordered since it was signed.", c.Size-t.From, t.From)
	s.fact("%d of them are shown%s; of the other %d, the file has only the hashes.", t.Shown, shownIn(t), t.Lines-t.Shown)
	for _, k := range kept {
		if k.Size < t.From {
			s.limit("That it extends %s, which covers %d entries: the file begins with number %d.", k.Name, k.Size, t.From)
			continue
		}
		s.fact("It extends %s, which covers %d entries of epoch %d.", k.Name, k.Size, k.Origin.Epoch)
	}
	if t.From > 0 {
		s.limit("Entries 0 to %d: they are not in the file. Calls may be in archives; if this is the log of events, they were removed.", t.From-1)
	}
	s.addLeftOut(t)
}

// shownIn names the shown lines and their practice.
func shownIn(t export.Tally) string {
	if t.Shown == 0 {
		return ""
	}
	what, whose := "events", practiceOf(t.Tenant)
	if t.Access > 0 {
		what = "calls"
	}
	if t.Tenants > 1 {
		whose = "of several practices"
	}
	return fmt.Sprintf(", %s %s with idx %d to %d", what, whose, t.FirstIdx, t.LastIdx)
}

func (s *report) addLeftOut(t export.Tally) {
	if hidden := t.Lines - t.Shown; hidden > 0 {
		s.limit("The content of the %d entries of which the file has only the hashes.", hidden)
	}
	for _, part := range []struct {
		lines int64
		name  string
	}{
		{t.NoData, "data"}, {t.NoMetadata, "metadata"}, {t.NoReason, "reasons"}, {t.NoAct, "act claims"}, {t.NoSealed, "sealed bytes"},
	} {
		if part.lines > 0 {
			s.limit("The %s of %d lines: they are left out, and their SHA-256 was verified.", part.name, part.lines)
		}
	}
	if t.Opened > 0 {
		s.limit("The values under \"opened\" in %d lines: no checkpoint covers them, and comparing them with the encrypted bytes takes the keys.", t.Opened)
	}
}

func (s *report) addIncluded(l export.Line) {
	switch {
	case l.Event != nil:
		e := l.Event.Leaf
		s.fact("Entry %d of this log is the event with idx %d, %s, %s, recorded at %s.", l.N, e.Idx, e.Name, practiceOf(e.Tenant), e.At.Format(instantOf))
	case l.Access != nil:
		a := l.Access.Leaf
		s.fact("Entry %d of this log is the call %s of %s, at %s, answered %d.", l.N, a.RequestID, a.Endpoint, a.At.Format(instantOf), a.Status)
	default:
		s.fact("Entry %d of this log has this hash.", l.N)
	}
	s.addLeftOut(l.Tally())
	s.limit("The other entries of the log. To verify them, export the log with audit export --proof.")
}

const instantOf = "2006-01-02T15:04:05.000000Z07:00"

func practiceOf(tenant string) string {
	if tenant == "" {
		return "of no practice"
	}
	return "of practice " + tenant
}

func (s *report) addGrown(kept verification.Kept, c proof.Checkpoint) {
	s.fact("The log extends %s: its %d entries are the same, and %d were added.", kept.Name, kept.Size, c.Size-kept.Size)
	s.limit("The content of the entries. To verify it, export the log with audit export --proof.")
}
