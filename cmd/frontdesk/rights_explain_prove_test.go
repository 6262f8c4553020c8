//go:build prove

package main_test

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
)

// explainedOfAPractice is how many of its calls are explained afterwards. Each
// explanation reads the whole log.
const explainedOfAPractice = 1

// answeredBefore is a call of the past, and its answer.
type answeredBefore struct {
	auditing.Question
	answer string
}

// sample draws calls during which nothing changed: only for these does the log show by which
// rights they were judged.
func (p *practiceAsked) sample(plan *rand.Rand) {
	calls := p.history.quiet()
	for range min(explainedOfAPractice, len(calls)) {
		drawn := calls[plan.IntN(len(calls))]
		c, _ := drawn.Input.(asked)
		answer, _ := drawn.Metadata.(string)
		endpoint, _ := access.Find(application.EndpointName(endpointsAsked[c.endpoint].name))
		claim := access.Claim{Tenant: p.tenant, Application: p.app, Mode: application.Mode(modes[modeOf(c.user)]), Endpoint: endpoint}
		if c.user != nobody {
			claim.Username = p.usernames[c.user]
		}
		at := p.history.begun.Add(time.Duration(c.from+c.to) / 2)
		p.tally.sampled(answeredBefore{auditing.Question{At: at, Claim: claim, Patient: p.patients[c.patient].String()}, answer})
	}
}

// explain has the sampled calls explained from the log, each at its instant, and
// compares the verdicts with the answers.
func (s *rightsTrial) explain() {
	s.t.Helper()
	s.must(s.engine.Drain(s.t.Context()))
	for _, was := range s.tally.samples {
		verdict, err := s.engine.Auditor.Explain(s.t.Context(), was.Question, nil)
		s.must(err)
		said := allowed
		if !verdict.Allowed {
			said = verdict.Code + ": " + verdict.Reason
		}
		if said != was.answer {
			s.t.Errorf("%s of %s at %s was answered %q, and is explained by %s as %q",
				was.Endpoint.Name, was.Username, was.At, was.answer, verdict.Rule, said)
		}
	}
	if len(s.tally.samples) == 0 {
		s.t.Error("something changed during every call, so that none could be explained")
	}
	s.t.Logf("%d calls are explained as they were answered", len(s.tally.samples))
}

// quiet returns the calls during which no act was under way and no authorisation ended. An
// act with an unknown ending is under way for ever.
func (h *rightsHistory) quiet() (calls []porcupine.Operation) {
	for _, o := range h.operations {
		c, ok := o.Input.(asked)
		if ok && !slices.ContainsFunc(h.operations, func(other porcupine.Operation) bool { return disturbs(other, c) }) {
			calls = append(calls, o)
		}
	}
	return calls
}

func disturbs(o porcupine.Operation, c asked) bool {
	act, ok := o.Input.(changed)
	ends := c.from < act.ends && act.ends <= c.to
	return ok && o.Call <= c.to && (c.from <= o.Return || ends)
}
