package accesslog

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
)

// refusedCall is one of many equal refusals of an application.
func refusedCall(by application.ID) access.Call {
	return access.Call{RequestID: event.NewID(), Application: by, Tenant: "elm", Endpoint: access.CreateNote, Status: 403, Code: "unauthorized", Reason: "no grant"}
}

func anApplication() application.ID { return application.ID{UUID: uuid.New()} }

func TestEqualRefusalsShareALine_D173(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var f repeats
		var last access.Call
		own, by := 0, anApplication()
		for range 100 {
			last = refusedCall(by)
			last.TokenHash[0]++ // each call may have its own token
			if !f.fold(last) {
				own++
			}
		}
		if own != ownLines {
			t.Errorf("%d refusals have their own line, want %d", own, ownLines)
		}
		time.Sleep(runTime - time.Nanosecond)
		if lines := f.due(false); lines != nil {
			t.Errorf("a run ends early: %v", lines)
		}
		time.Sleep(time.Nanosecond)
		lines := f.due(false)
		if len(lines) != 1 || lines[0].RequestID != last.RequestID || lines[0].Repeats != 100-ownLines-1 {
			t.Errorf("the lines of the run are %+v", lines)
		}
		if f.fold(refusedCall(by)) {
			t.Error("the first refusal after a run has no line")
		}
	})
}

func TestOtherCallsHaveTheirLine_D173(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*access.Call){
		"answered":    func(c *access.Call) { c.Status = 200 },
		"failed":      func(c *access.Call) { c.Status = 503 },
		"a page":      func(c *access.Call) { c.Mode = access.ByPage },
		"practice":    func(c *access.Call) { c.Tenant = "oak" },
		"application": func(c *access.Call) { c.Application = anApplication() },
		"mode":        func(c *access.Call) { c.Mode = application.UserRestricted },
		"staff":       func(c *access.Call) { c.Staff.UUID = uuid.New() },
		"endpoint":    func(c *access.Call) { c.Endpoint = access.Ping },
		"patient":     func(c *access.Call) { c.Patient = patient.ID{UUID: uuid.New()} },
		"status":      func(c *access.Call) { c.Status = 429 },
		"code":        func(c *access.Call) { c.Code = "closed" },
		"reason":      func(c *access.Call) { c.Reason = "no consent" },
		"act":         func(c *access.Call) { c.Act = &event.OnBehalfOf{Practitioner: event.Practitioner{Name: "Dr Lee"}} },
		"replayed":    func(c *access.Call) { c.Replayed = true },
		"key":         func(c *access.Call) { c.Key[0]++ },
		"agent":       func(c *access.Call) { c.Agent = "curl/8.5.0" },
		"further":     func(c *access.Call) { c.Further = []access.Problem{{Code: "empty-note"}} },
	} {
		var f repeats
		by := anApplication()
		for range 2 * ownLines {
			f.fold(refusedCall(by))
		}
		other := refusedCall(by)
		if change(&other); f.fold(other) {
			t.Errorf("%s: a different call has no line", name)
		}
	}
}

func TestRunsAreBounded_D173(t *testing.T) {
	t.Parallel()
	var f repeats
	greedy, modest := anApplication(), anApplication()
	fill := func(by application.ID, n int) (folded int) {
		for range n {
			c := refusedCall(by)
			c.Patient.UUID = uuid.New()
			for range ownLines + 1 {
				if f.fold(c) {
					folded++
				}
			}
		}
		return folded
	}
	if got := fill(greedy, 10*maxRunsOfCaller); got != maxRunsOfCaller {
		t.Errorf("an application has %d runs, want %d", got, maxRunsOfCaller)
	}
	if got := fill(modest, 1); got != 1 {
		t.Error("the runs of one application leave none for another")
	}
	for range maxRuns {
		fill(anApplication(), 1)
	}
	if len(f.runs) != maxRuns {
		t.Errorf("%d runs are in memory, want at most %d", len(f.runs), maxRuns)
	}
	if lines := f.due(true); len(lines) != maxRuns || len(f.runs)+len(f.byCaller) != 0 {
		t.Errorf("%d lines at the end, %d runs and %d applications left", len(lines), len(f.runs), len(f.byCaller))
	}
	if fill(greedy, 1) != 0 {
		t.Error("a refusal after the end has no line")
	}
}
