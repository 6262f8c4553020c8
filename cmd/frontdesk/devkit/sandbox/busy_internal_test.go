package sandbox

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"frontdesk/commands/commandtest"
	"frontdesk/domain/patient"
)

func chance(number uint64) *rand.Rand { return rand.New(rand.NewPCG(number, 0)) }

func TestOneNumberMakesOneBusyPractice(t *testing.T) {
	t.Parallel()
	if one, other := crowd(chance(1)), crowd(chance(1)); !reflect.DeepEqual(one, other) {
		t.Error("the patients differ")
	}
	now := commandtest.Noon
	if one, other := letters(chance(1), now), letters(chance(1), now); !reflect.DeepEqual(one, other) {
		t.Error("the requests differ")
	}
	if reflect.DeepEqual(crowd(chance(1)), crowd(chance(2))) {
		t.Error("another number makes the same patients")
	}
}

func TestBusyPatientsHaveSoundDetails(t *testing.T) {
	t.Parallel()
	names := map[string]int{}
	for n, who := range crowd(chance(busyNumber)) {
		names[who.name]++
		registered, err := patient.Patient{}.Register(patient.ID{}, who.name, who.born, time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatalf("patient %d: %v", n, err)
		}
		known := patient.Patient{}.Apply(registered[0])
		if _, err := known.SetContactDetails(patient.ID{}, who.contact); err != nil {
			t.Errorf("patient %d: %v", n, err)
		}
	}
	if names["Margaret Green"] != namesakes {
		t.Errorf("%d namesakes, want %d", names["Margaret Green"], namesakes)
	}
}

// Now is within today's surgery at every hour, so that people wait.
func TestASurgeryIsAroundNowAtEachHour(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	for hour := range 24 {
		b := busy{believable: believable{now: day.Add(time.Duration(hour)*time.Hour + 7*time.Minute)}}
		begin := b.opening(day)
		if b.now.Before(begin) || b.now.After(begin.Add(openFor)) || begin.Before(day) || begin.Add(openFor).After(day.Add(24*time.Hour)) {
			t.Errorf("at %s the surgery begins at %s", b.now, begin)
		}
		if tomorrow := day.AddDate(0, 0, 1); !b.opening(tomorrow).Equal(tomorrow.Add(usualStart)) {
			t.Errorf("at %s tomorrow begins at %s", b.now, b.opening(tomorrow))
		}
	}
}

func TestAPlanIsDoneInTheOrderOfItsTimes(t *testing.T) {
	t.Parallel()
	c := &calendar{at: commandtest.Noon}
	p := plan{calendar: c}
	var done []time.Time
	for _, after := range []time.Duration{2 * time.Hour, 0, time.Hour} {
		p.add(commandtest.Noon.Add(after), func(context.Context) error {
			done = append(done, c.Now())
			return nil
		})
	}
	if err := p.run(t.Context()); err != nil || len(done) != 3 || !slices.IsSortedFunc(done, time.Time.Compare) || done[2] != commandtest.Noon.Add(2*time.Hour) {
		t.Errorf("done at %v (%v)", done, err)
	}
	failure := errors.New("refused")
	p.add(commandtest.Noon.Add(3*time.Hour), func(context.Context) error { return failure })
	p.add(commandtest.Noon.Add(4*time.Hour), func(context.Context) error { t.Error("it went on"); return nil })
	if err := p.run(t.Context()); !errors.Is(err, failure) {
		t.Errorf("a refused act: %v", err)
	}
}
