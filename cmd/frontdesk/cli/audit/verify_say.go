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

// report says what was verified, and what was not, in whole sentences.
type report struct {
	Sound       bool     `json:"sound"`
	Verified    []string `json:"verified"`
	NotVerified []string `json:"notVerified"`
	Wrong       string   `json:"wrong,omitempty"`
}

func (s *report) say(format string, args ...any) {
	s.Verified = append(s.Verified, fmt.Sprintf(format, args...))
}

func (s *report) sayNot(format string, args ...any) {
	s.NotVerified = append(s.NotVerified, fmt.Sprintf(format, args...))
}

// print prints the report. What is wrong is the command's error, too.
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

// saySigned says who has signed the newest checkpoint.
func (s *report) saySigned(c proof.Checkpoint, by []string, p proof.Policy) {
	s.say("The checkpoint is signed by the key %s+%08x, which you gave: it covers %d numbers of the log %s.", p.Key.Name(), p.Key.KeyHash(), c.Size, c.Origin)
	witnesses := len(p.Witnesses)
	if len(by) > 0 {
		s.say("It is cosigned by %d of the %d witnesses whose keys you gave: %s.", len(by), witnesses, strings.Join(by, ", "))
	}
	if len(by) == 0 {
		s.sayNot("Whether others are shown another history. Give the keys of witnesses with --witness-key, or compare checkpoints with someone else.")
	}
	for _, left := range c.Left.All() {
		s.say("It keeps the first %d numbers of epoch %d.", left.Size, left.Epoch)
		s.sayNot("What epoch %d held behind number %d: it may have lost entries with its end. The event log.epoch-begun.v1 says when it ended, and why.", left.Epoch, left.Size-1)
	}
	s.sayNot("What came after these %d numbers. Ask for a newer checkpoint.", c.Size)
}

// sayExport says what a whole export has shown.
func (s *report) sayExport(t export.Tally, c proof.Checkpoint, kept []verification.Kept) {
	s.say("The file has all %d numbers from %d on: nothing was changed, added, taken away or moved since it was signed.", c.Size-t.From, t.From)
	s.say("%d of them are shown%s; of %d the hash alone is there.", t.Shown, shownOfWhom(t), t.Lines-t.Shown)
	for _, k := range kept {
		if k.Size < t.From {
			s.sayNot("Whether it goes on from %s, which covers %d numbers: the file begins with number %d.", k.Name, k.Size, t.From)
			continue
		}
		s.say("It begins with all that %s covers, %d numbers of epoch %d.", k.Name, k.Size, k.Origin.Epoch)
	}
	if t.From > 0 {
		s.sayNot("What numbers 0 to %d say: they are not in the file. Of calls, they are in archives; if this is the log of events, they were taken away.", t.From-1)
	}
	s.sayLeftOut(t)
}

// shownOfWhom names what is shown, and whose it is.
func shownOfWhom(t export.Tally) string {
	if t.Shown == 0 {
		return ""
	}
	what, whose := "events", of(t.Tenant)
	if t.Access > 0 {
		what = "calls"
	}
	if t.Tenants > 1 {
		whose = "of several practices"
	}
	return fmt.Sprintf(", %s %s with idx %d to %d", what, whose, t.FirstIdx, t.LastIdx)
}

func (s *report) sayLeftOut(t export.Tally) {
	if hidden := t.Lines - t.Shown; hidden > 0 {
		s.sayNot("What is stored under the %d numbers of which the hash alone is there.", hidden)
	}
	for _, part := range []struct {
		lines int64
		name  string
	}{
		{t.NoData, "data"}, {t.NoMetadata, "metadata"}, {t.NoReason, "reasons"}, {t.NoAct, "act claims"}, {t.NoSealed, "sealed bytes"},
	} {
		if part.lines > 0 {
			s.sayNot("The %s of %d lines are left out: their SHA-256 is there, and was verified.", part.name, part.lines)
		}
	}
	if t.Opened > 0 {
		s.sayNot("What stands under \"opened\" in %d lines: no checkpoint covers it, and to compare it with the sealed bytes takes keys.", t.Opened)
	}
}

func (s *report) sayIncluded(l export.Line) {
	switch {
	case l.Event != nil:
		e := l.Event.Leaf
		s.say("Number %d of this log is the event with idx %d, %s, %s, recorded at %s.", l.N, e.Idx, e.Name, of(e.Tenant), e.At.Format(instantOf))
	case l.Access != nil:
		a := l.Access.Leaf
		s.say("Number %d of this log is the call %s of %s, at %s, answered %d.", l.N, a.RequestID, a.Endpoint, a.At.Format(instantOf), a.Status)
	default:
		s.say("Number %d of this log has this hash.", l.N)
	}
	s.sayLeftOut(l.Tally())
	s.sayNot("What else the log holds. That takes an export of all of it: audit export --proof.")
}

const instantOf = "2006-01-02T15:04:05.000000Z07:00"

func of(tenant string) string {
	if tenant == "" {
		return "of no practice"
	}
	return "of practice " + tenant
}

func (s *report) sayGrown(kept verification.Kept, c proof.Checkpoint) {
	s.say("The log begins with all that %s covers: its %d numbers are the same, and %d more have come.", kept.Name, kept.Size, c.Size-kept.Size)
	s.sayNot("What the numbers say. That takes an export of all of them: audit export --proof.")
}
