package commands_test

import (
	"errors"
	"testing"
	"time"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/practice/hours"
	"frontdesk/domain/request"
)

var forGood time.Time

func TestFirstRefusalOfRequestCounts_D2(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.must(s.switchOff(surgeryTenant, request.Medical))
	s.must(s.pause(surgeryTenant, request.Medical, forGood))
	s.must(s.close(surgeryTenant, forGood, forGood))
	s.must(s.setHours(surgeryTenant, request.Medical, "tue 08:00-12:00")) // it is a Monday

	if err := s.submit(patient.ID{}, request.Medical); !errors.Is(err, patient.ErrUnknown) {
		t.Errorf("unknown request: %v", err)
	}
	s.answers(request.Medical, practice.ErrTypeDisabled)
	s.must(s.switchOn(surgeryTenant, request.Medical))
	s.answers(request.Medical, practice.ErrTypePaused)
	s.must(s.resume(surgeryTenant, request.Medical))
	s.answers(request.Medical, practice.ErrTypeClosed)
	s.must(s.reopen(surgeryTenant, forGood))
	s.answers(request.Medical, practice.ErrTypeClosed)
	s.must(s.setHours(surgeryTenant, request.Medical))
	s.answers(request.Medical, nil)
}

func TestClosureCoversAllRequestTypes_D23(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set   func(s *surgery) error
		admin error
	}{
		"off":     {func(s *surgery) error { return s.switchOff(surgeryTenant, request.Medical) }, nil},
		"paused":  {func(s *surgery) error { return s.pause(surgeryTenant, request.Medical, forGood) }, nil},
		"hours":   {func(s *surgery) error { return s.setHours(surgeryTenant, request.Medical, "tue 08:00-12:00") }, nil},
		"closure": {func(s *surgery) error { return s.close(surgeryTenant, forGood, forGood) }, practice.ErrTypeClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSurgery(t)
			s.must(c.set(s))
			if err := s.submit(s.ann, request.Medical); err == nil {
				t.Error("a medical request is taken")
			}
			s.answers(request.Admin, c.admin)
		})
	}
}

func TestAPauseAndAClosureEndByThemselves_D23(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	end := s.now.Add(time.Hour)
	s.must(s.pause(surgeryTenant, request.Medical, end))
	s.must(s.close(surgeryTenant, s.now.Add(10*time.Minute), end))
	s.answers(request.Admin, nil)

	s.now = end.Add(-time.Nanosecond)
	s.answers(request.Medical, practice.ErrTypePaused)
	s.answers(request.Admin, practice.ErrTypeClosed)
	s.now = end
	s.answers(request.Medical, nil)
	s.answers(request.Admin, nil)
}

func TestSafeRefusalHasRetryTime_7_1(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.must(s.setHours(surgeryTenant, request.Medical, "mon 08:00-12:00"))

	refusal, ok := errors.AsType[*fault.Error](s.submit(s.ann, request.Medical))
	if want := time.Date(2026, 3, 9, 8, 0, 0, 0, time.UTC); !ok || !refusal.RetryAt.Equal(want) {
		t.Errorf("refusal %+v, want a retry at %s", refusal, want)
	}
}

// In London's summer eight o'clock is seven in UTC.
func TestHoursAreOfThePracticesTimeZone_D23(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	s.must(s.setHours(surgeryTenant, request.Medical, "mon 08:00-12:00"))

	s.now = time.Date(2026, 3, 30, 7, 0, 0, 0, time.UTC)
	s.answers(request.Medical, nil)
	s.now = time.Date(2026, 3, 30, 11, 0, 0, 0, time.UTC)
	s.answers(request.Medical, practice.ErrTypeClosed)
}

func TestRepeatedSettingAppendsNothing(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	hour := s.now.Add(time.Hour)
	for what, set := range map[string]func() error{
		"off":     func() error { return s.switchOff(surgeryTenant, request.Admin) },
		"paused":  func() error { return s.pause(surgeryTenant, request.Medical, hour) },
		"hours":   func() error { return s.setHours(surgeryTenant, request.Medical, "mon 14:00-18:00", "mon 08:00-12:00") },
		"closure": func() error { return s.close(surgeryTenant, hour, hour.Add(time.Hour)) },
	} {
		for n := range 2 {
			before := len(s.store.Log())
			s.must(set())
			if appended := len(s.store.Log()) - before; appended != 1-n {
				t.Errorf("%s: the call after %d others appended %d events", what, n, appended)
			}
		}
	}
	before := len(s.store.Log())
	s.must(s.switchOn(surgeryTenant, request.Medical))
	s.must(s.resume(surgeryTenant, request.Admin))
	s.must(s.setHours(surgeryTenant, request.Admin))
	s.must(s.setHours(surgeryTenant, request.Medical, "mon 08:00-12:00", "mon 14:00-18:00"))
	s.must(s.reopen(surgeryTenant, forGood))
	if appended := len(s.store.Log()) - before; appended > 0 {
		t.Errorf("what holds already appended %d events", appended)
	}
}

func TestPlannedClosureIsCalledOff(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	tomorrow := s.now.Add(24 * time.Hour)
	s.must(s.close(surgeryTenant, forGood, forGood))
	s.must(s.reopen(surgeryTenant, forGood))
	s.must(s.close(surgeryTenant, tomorrow, tomorrow.Add(time.Hour)))
	s.must(s.close(surgeryTenant, forGood, s.now.Add(time.Hour)))

	s.must(s.reopen(surgeryTenant, forGood)) // only today's
	s.answers(request.Medical, nil)
	s.now = tomorrow
	s.answers(request.Medical, practice.ErrTypeClosed)
	s.now = commandtest.Noon
	s.must(s.reopen(surgeryTenant, tomorrow))
	s.now = tomorrow
	s.answers(request.Medical, nil)
}

func TestUnknownPracticeOrTypeIsRefused(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	for tenant, c := range map[string]struct {
		typ  request.Type
		want error
	}{
		"unknown":     {request.Medical, practice.ErrUnknown},
		surgeryTenant: {"dental", request.ErrInvalidType},
	} {
		for what, err := range map[string]error{
			"switch off": s.switchOff(tenant, c.typ), "switch on": s.switchOn(tenant, c.typ),
			"pause": s.pause(tenant, c.typ, forGood), "resume": s.resume(tenant, c.typ),
			"set hours": s.setHours(tenant, c.typ, "mon 08:00-12:00"),
		} {
			if !errors.Is(err, c.want) {
				t.Errorf("%s at %s for %s: %v, want %v", what, tenant, c.typ, err, c.want)
			}
		}
	}
	if err := s.close("unknown", forGood, forGood); !errors.Is(err, practice.ErrUnknown) {
		t.Errorf("close: %v", err)
	}
	if err := s.reopen("unknown", forGood); !errors.Is(err, practice.ErrUnknown) {
		t.Errorf("reopen: %v", err)
	}
}

func TestInvalidTimesAreRefused(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	for what, c := range map[string]struct{ got, want error }{
		"a malformed interval": {s.setHours(surgeryTenant, request.Medical, "mon 8-12"), hours.ErrInvalid},
		"overlapping hours":    {s.setHours(surgeryTenant, request.Medical, "mon 08:00-12:00", "mon 11:00-13:00"), hours.ErrOverlap},
		"a pause of the past":  {s.pause(surgeryTenant, request.Medical, s.now), practice.ErrInvalidPause},
		"a closure backwards":  {s.close(surgeryTenant, s.now.Add(2), s.now.Add(1)), practice.ErrInvalidClosure},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v, want %v", what, c.got, c.want)
		}
	}
}

func TestRehearsalAppendsNothing_D89(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	rehearsal := &commands.Rehearsal{Store: s.store}
	desk := commands.Desk{Store: rehearsal, Now: s.clock}
	hour := s.now.Add(time.Hour)
	s.must(desk.PauseRequestType(t.Context(), commands.PauseRequestType{Tenant: surgeryTenant, RequestType: request.Medical, Until: hour}))
	s.must(desk.ClosePractice(t.Context(), commands.ClosePractice{Tenant: surgeryTenant, From: hour}))
	if err := desk.PauseRequestType(t.Context(), commands.PauseRequestType{Tenant: surgeryTenant, RequestType: request.Medical, Until: s.now}); !errors.Is(err, practice.ErrInvalidPause) {
		t.Errorf("a pause that is over: %v", err)
	}
	before, err := s.store.Receptions(t.Context(), surgeryTenant)
	s.must(err)
	if got := before.Reception(request.Medical).Availability(s.now); got.Status != practice.TypeOpen {
		t.Errorf("after the rehearsal it is %s", got.Status)
	}
	after := before.After(rehearsal.Events()...)
	for typ, want := range map[request.Type]practice.Availability{
		request.Medical: {Type: request.Medical, Status: practice.TypePaused},
		request.Admin:   {Type: request.Admin, Status: practice.TypeOpen},
	} {
		if got := after.Reception(typ).Availability(s.now); got != want {
			t.Errorf("it would be %+v, want %+v", got, want)
		}
		if got := after.Reception(typ).Availability(hour).Status; got != practice.TypeClosed {
			t.Errorf("an hour later it would be %s", got)
		}
	}
	if open := after.After(practice.Reopened{From: hour}).Reception(request.Admin).Closing(s.now); !open.IsZero() {
		t.Errorf("with the closure cancelled, it would close at %s", open)
	}
}
