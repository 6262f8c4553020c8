package main_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"frontdesk/adapters/clock"
)

// rightsHistory is the calls and changes at one practice, as the clients saw them.
type rightsHistory struct {
	begun      time.Time
	mu         sync.Mutex
	operations []porcupine.Operation
}

// now is an instant of this history.
func (h *rightsHistory) now() int64 { return h.at(clock.System()) }

func (h *rightsHistory) at(t time.Time) int64 { return int64(t.Sub(h.begun)) }

// answered records a call. If it came to the patient's record, it has asked two
// questions, each at an instant of its own.
func (h *rightsHistory) answered(client int, c asked, answer string) {
	endpoint, said := endpointsAsked[c.endpoint], answer
	looks := endpoint.seeRecord && c.user != nobody && (answer == allowed || answer == recordClosed)
	if looks {
		said = allowed // by rights
	}
	h.add(porcupine.Operation{ClientId: client, Input: c, Call: c.from, Output: said, Return: c.to, Metadata: answer})
	if looks {
		h.add(porcupine.Operation{ClientId: client, Input: looked{c.user, c.patient}, Call: c.from, Output: answer, Return: c.to})
	}
}

// ended records an act. One with an unknown ending may take effect at any later time, or
// never.
func (h *rightsHistory) ended(client int, c changed, e ending) {
	until := h.now()
	if e == unknown {
		until = math.MaxInt64
	}
	h.add(porcupine.Operation{ClientId: client, Input: c, Call: c.at, Output: e, Return: until})
}

func (h *rightsHistory) add(o porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, o)
}

// checkLimit is far longer than any check.
const checkLimit = 5 * time.Minute

// check fails t unless each answer is right at some instant between its call and its
// return, and all of them in one order with the acts. Otherwise it leaves a picture of
// the history.
func (h *rightsHistory) check(t *testing.T, begin practiceState) {
	t.Helper()
	model := rightsModel(begin)
	result, found := porcupine.CheckOperationsVerbose(model, h.operations, checkLimit)
	if result == porcupine.Ok {
		return
	}
	picture, err := draw(model, found)
	if err != nil {
		t.Error(err)
	}
	t.Errorf("the checker returns %s for a history of %d operations: see %s", result, len(h.operations), picture)
}

// draw writes a page that shows a history in a browser. It outlives the test.
func draw(model porcupine.Model, found porcupine.LinearizationInfo) (name string, err error) {
	page, err := os.CreateTemp("", "frontdesk-rights-*.html")
	if err != nil {
		return "", err
	}
	defer page.Close()
	return page.Name(), porcupine.Visualize(model, found, page)
}

// linearizable reports whether the history is that.
func (h *rightsHistory) linearizable(begin practiceState) bool {
	return porcupine.CheckOperations(rightsModel(begin), h.operations)
}

// rightsModel is the contract in the form of the checker. A history is linearizable if each
// part of it is, so rights and each patient's restriction, which do not depend on each other,
// are checked separately.
func rightsModel(begin practiceState) porcupine.Model {
	return porcupine.Model{
		Partition: bySubject,
		Init:      func() any { return begin },
		Step:      step,
		DescribeOperation: func(input, output any) string {
			return fmt.Sprintf("%v: %v", input, output)
		},
	}
}

func step(state, input, output any) (ok bool, next any) {
	s, _ := state.(practiceState)
	switch in := input.(type) {
	case asked:
		said, _ := output.(string)
		return s.gives(in, said), s
	case looked:
		return s.closed[in.patient][in.user] == (output == recordClosed), s
	case changed:
		how, _ := output.(ending)
		after, ok := s.after(in, how)
		return ok, after
	}
	return false, s
}

// bySubject divides a history into the rights and each patient's record.
func bySubject(history []porcupine.Operation) [][]porcupine.Operation {
	parts := make([][]porcupine.Operation, 1+patientsOfModel)
	for _, o := range history {
		part := 0
		switch in := o.Input.(type) {
		case looked:
			part = 1 + in.patient
		case changed:
			if in.what == restrict || in.what == lift {
				part = 1 + in.patient
			}
		}
		parts[part] = append(parts[part], o)
	}
	return slices.DeleteFunc(parts, func(part []porcupine.Operation) bool { return len(part) == 0 })
}
