package auditing_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/domain/access"
)

func TestExplanationsOfCallsMatchTheirAnswers_D37(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long; make test runs it")
	}
	t.Parallel()
	found, w := newTally(), newTown(t)
	w.live(t, 300, 1)
	w.explainAll(t, found)
	found.want(t, 300, "allowed, and answered 200", "allowed, and answered 4", "application-enabled", "endpoint-granted",
		"user-authorised (unauthorized) by nothing", "user-authorised (unauthorized) by staff.deactivated.v1", "patient-in-scope", "record-open")
}

// explainers is how many calls are explained at once.
const explainers = 3

// explainAll compares the answer of every call with the later explanation for auditors.
func (w *town) explainAll(t *testing.T, into *tally) {
	t.Helper()
	w.wantRecorded(t)
	changes, calls := w.changes(t), make(chan madeCall)
	var group sync.WaitGroup
	for range explainers {
		group.Go(func() {
			for m := range calls {
				if err := w.explain(t, m, changes, into); err != nil {
					t.Errorf("call %s: %v", m.id, err)
				}
			}
		})
	}
	for _, m := range w.made {
		calls <- m
	}
	close(calls)
	group.Wait()
}

// wantRecorded waits until every call with a sound token is in the access
// record, and all that happened in the log.
func (w *town) wantRecorded(t *testing.T) {
	t.Helper()
	sound := 0
	for _, m := range w.made {
		if m.sound {
			sound++
		}
	}
	recorded := func() int { return w.count(t, `SELECT count(*) FROM access_record WHERE mode <> 'page'`) }
	clocktest.Eventually(t, func() bool { return recorded() >= sound }, "the calls are recorded")
	if n := recorded(); n != sound {
		t.Errorf("%d calls are recorded, want %d", n, sound)
	}
	must(t, w.Drain(t.Context()))
}

var (
	errRecorded  = errors.New("its token is faulty, and it is recorded")
	errOtherwise = errors.New("it is recorded otherwise than it was answered")
	errDisagrees = errors.New("it is explained otherwise than it was answered")
)

// explain runs `audit explain --call`, and compares.
func (w *town) explain(t *testing.T, m madeCall, changes history, into *tally) error {
	question, call, err := w.auditor.Auditor.QuestionOf(t.Context(), m.id)
	switch {
	case !m.sound && errors.Is(err, auditing.ErrUnknownCall):
		into.add(func() { into.unrecorded++ })
		return nil
	case !m.sound:
		return errors.Join(errRecorded, err)
	case err != nil:
		return err
	case call.Status != m.status || call.Code != m.code || call.Reason != m.reason:
		return fmt.Errorf("%w: %+v, %+v", errOtherwise, call, m)
	}
	verdict, err := w.auditor.Auditor.Explain(t.Context(), question, nil)
	if err != nil {
		return err
	}
	wantEvidence(t, question.Endpoint, verdict)
	if agree, near := agrees(verdict, m), changes.near(call, m.username); agree || near {
		into.count(m, verdict, agree, near)
		return nil
	}
	return fmt.Errorf("%w:\n%s", errDisagrees, facts(call, m, verdict))
}

// agrees reports whether the explanation of a call fits its answer: refused in the same
// words, or let through by every rule that is explained. Refusals of its input, or by the
// practice, come after these rules.
func agrees(v auditing.Verdict, m madeCall) bool {
	if m.status == http.StatusForbidden {
		return !v.Allowed && v.Code == m.code && v.Reason == m.reason
	}
	return v.Allowed && m.status < http.StatusInternalServerError
}

func facts(call access.Call, m madeCall, v auditing.Verdict) string {
	text := fmt.Sprintf("  %+v\n  of %q answered %d %s: %s\n  explained by the log up to idx %d as %s %s: %s",
		call, m.username, m.status, m.code, m.reason, v.Idx, v.Rule, v.Code, v.Reason)
	for _, b := range v.Because {
		text += fmt.Sprintf("\n    %s: idx %d, %s, %s", b.Rule, b.Idx, b.At, b.EventName())
	}
	return text
}

// wantEvidence fails unless the event that a rule went by fits its verdict. A call that an
// application makes about itself may be allowed where the practice has disabled it.
func wantEvidence(t *testing.T, asked access.Endpoint, v auditing.Verdict) {
	t.Helper()
	said := map[access.Rule]string{}
	for _, b := range v.Because {
		if said[b.Rule] = b.EventName(); b.Idx > v.Idx {
			t.Errorf("idx %d is evidence for a state at idx %d", b.Idx, v.Idx)
		}
	}
	wrong := map[access.Rule]string{
		access.RuleKnown: "application.registered.v1", access.RuleEnabled: "practice.application-enabled.v1",
		access.RuleGranted: "application.endpoint-granted.v1", access.RuleRecord: "patient.restriction-lifted.v1",
	}
	if name := wrong[v.Rule]; name != "" && said[v.Rule] == name {
		t.Errorf("refused by %s because of %s", v.Rule, name)
	}
	judged := !asked.AboutItself || asked.WhereEnabled
	if enabled := said[access.RuleEnabled]; v.Allowed && judged && enabled != "practice.application-enabled.v1" {
		t.Errorf("allowed, and the last to say about %s is %q", access.RuleEnabled, enabled)
	}
}
