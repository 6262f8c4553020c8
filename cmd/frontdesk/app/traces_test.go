package app_test

import (
	"bytes"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock/clocktest"
	"frontdesk/adapters/tracing"
	"frontdesk/adapters/tracing/tracingtest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
)

// A trace has the id of its call and continues across the log: in the handler of the event,
// and in its delivery.
func TestACallIsFollowedToItsWebhook_D109(t *testing.T) {
	t.Parallel()
	collector := tracingtest.New(t)
	p := trace(t, tracing.Config{URL: collector.URL, Share: 1})
	id := p.callIn(t, "")
	told := (<-p.told).Get("traceparent")
	status, request := p.call(t, access.CreatePatientRequest, requestBody(p.patient), "")
	if status != http.StatusOK {
		t.Fatalf("the patient request is answered %d", status)
	}
	clocktest.Eventually(t, func() bool { return slices.Contains(names(collector.Of(request)), "inbox.v1") }, "the read model follows")
	must(t, p.Stop()) // which sends the remaining spans

	is, err := app.ThisVersion()
	must(t, err)
	all := collector.Of(id)
	call, webhook := only(t, all, string(access.CallInPatient)), only(t, all, "webhook")
	for want, got := range map[string]string{
		"":                                    call.Parent,
		"elm-street":                          call.About["frontdesk.tenant"],
		p.integrator.ID.String():              call.About["frontdesk.application"],
		"frontdesk":                           call.By["service.name"],
		is.Version:                            call.By["service.version"],
		call.ID:                               webhook.Parent,
		"delivered":                           webhook.About["frontdesk.status"],
		"00-" + id + "-" + webhook.ID + "-01": told,
	} {
		if got != want {
			t.Errorf("%q in place of %q", got, want)
		}
	}
	wantSteps(t, all, call, webhook)
	all = collector.Of(request)
	submitted, handled := only(t, all, string(access.CreatePatientRequest)), only(t, all, "inbox.v1")
	if handled.Parent != submitted.ID || handled.About["frontdesk.event"] == "" {
		t.Errorf("the read model follows within %s, and handles %q", handled.Parent, handled.About["frontdesk.event"])
	}
}

// wantSteps looks for the spans between a call and its webhook.
func wantSteps(t *testing.T, all []tracingtest.Span, call, webhook tracingtest.Span) {
	t.Helper()
	appended := only(t, all, "append")
	if appended.Parent != call.ID || webhook.From < appended.Until {
		t.Errorf("the append is within %s; it ends at %d, and the webhook begins at %d", appended.Parent, appended.Until, webhook.From)
	}
	within := under(all, appended)
	if !slices.ContainsFunc(within, func(s tracingtest.Span) bool { return strings.Contains(s.About["db.query.text"], "INSERT INTO events") }) {
		t.Errorf("within the append there is no statement that stores the event: %v", names(within))
	}
	fanOut := only(t, all, "webhooks.v1")
	if fanOut.Parent != call.ID || !slices.ContainsFunc(under(all, fanOut), func(s tracingtest.Span) bool {
		return strings.Contains(s.About["db.query.text"], "INSERT INTO deliveries")
	}) {
		t.Errorf("the fan-out is within %s, and sends %v", fanOut.Parent, names(under(all, fanOut)))
	}
}

// only returns the one span of a name.
func only(t *testing.T, all []tracingtest.Span, name string) tracingtest.Span {
	t.Helper()
	named := slices.DeleteFunc(slices.Clone(all), func(s tracingtest.Span) bool { return s.Name != name })
	if len(named) != 1 {
		t.Fatalf("%d spans are called %s, of %v", len(named), name, names(all))
	}
	return named[0]
}

// under returns the spans within another one, those within those included.
func under(all []tracingtest.Span, s tracingtest.Span) (within []tracingtest.Span) {
	for _, other := range all {
		if other.Parent == s.ID {
			within = append(append(within, other), under(all, other)...)
		}
	}
	return within
}

func names(all []tracingtest.Span) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

// Exported spans hold names, numbers and opaque identifiers, under the names that the
// operators' page lists; this includes failures in the database.
func TestNoTraceHoldsAnythingPersonal_D109(t *testing.T) {
	t.Parallel()
	collector := tracingtest.New(t)
	p := trace(t, tracing.Config{URL: collector.URL, Share: 1})
	p.callIn(t, "")
	<-p.told
	status, request := p.call(t, access.CreatePatientRequest, requestBody(p.patient), "")
	if status != http.StatusOK {
		t.Fatalf("the patient request is answered %d", status)
	}
	_, failed := p.call(t, access.CreatePatientRequest, requestBody(event.NewID().String()), "")
	must(t, p.Stop())

	if len(collector.Of(request)) < 5 || len(collector.Of(failed)) < 3 {
		t.Fatalf("%d and %d spans", len(collector.Of(request)), len(collector.Of(failed)))
	}
	page, err := os.ReadFile("../../../docs/operate/traces.md")
	must(t, err)
	for _, s := range collector.Spans() {
		for key := range s.About {
			if !bytes.Contains(page, []byte("`"+key+"`")) {
				t.Errorf("the page of traces does not say that spans have %s", key)
			}
		}
		if s.Events > 0 || s.Status.GetMessage() != "" {
			t.Errorf("%s has %d events, and status message %q", s.Name, s.Events, s.Status.GetMessage())
		}
	}
	act := bearertest.Act()["practitioner"].(map[string]any)
	for _, personal := range []string{
		"Ann Archer", "It hurts", "healthConcern", p.patient, strings.ReplaceAll(p.patient, "-", ""), p.appointment, "Mulberry",
		act["name"].(string), act["email"].(string), act["gmc_number"].(string),
		"tell-tale", "203.0.113.77", "127.0.0.1", "localhost", "sesame", "Bearer", "frontdesk_app", "eyJ",
	} {
		if bytes.Contains(collector.Text(), []byte(personal)) {
			t.Errorf("the collector was sent %q", personal)
		}
	}
}

// A caller chooses neither the id of a trace nor whether it is kept.
func TestACallerChoosesNoTrace_D109(t *testing.T) {
	t.Parallel()
	const theirs = "4bf92f3577b34da6a3ce929d0e0e4736"
	const traceparent = "00-" + theirs + "-00f067aa0ba902b7-01"
	all, none := tracingtest.New(t), tracingtest.New(t)
	p := trace(t, tracing.Config{URL: all.URL, Share: 1})
	id := p.callIn(t, traceparent)
	must(t, p.Stop())
	if call := only(t, all.Of(id), string(access.CallInPatient)); !slices.Equal(call.Links, []string{theirs}) || call.Parent != "" || len(all.Of(theirs)) > 0 {
		t.Errorf("the trace of the caller is %v and %q of the call, and %d spans have its id", call.Links, call.Parent, len(all.Of(theirs)))
	}

	p = trace(t, tracing.Config{URL: none.URL, Share: 1e-12})
	p.callIn(t, traceparent)
	if told := (<-p.told).Values("traceparent"); told != nil {
		t.Errorf("the receiver got the trace context %q", told)
	}
	must(t, p.Stop())
	if spans := none.Spans(); len(spans) > 0 {
		t.Errorf("the collector is sent %v", names(spans))
	}
}

// An event without a call has a trace of its own.
func TestEventWithoutCallHasOwnTrace_D109(t *testing.T) {
	t.Parallel()
	collector := tracingtest.New(t)
	p := trace(t, tracing.Config{URL: collector.URL, Share: 1})
	var visit commands.CallInPatient
	visit.Tenant = "elm-street"
	must(t, visit.Appointment.UnmarshalText([]byte(p.appointment)))
	must(t, p.Desk.CallInPatient(t.Context(), visit))
	told := strings.Split((<-p.told).Get("traceparent"), "-")
	must(t, p.Stop())
	webhook := only(t, collector.Of(told[1]), "webhook")
	if webhook.Parent != "" || strings.ReplaceAll(webhook.About["frontdesk.event"], "-", "") != told[1] {
		t.Errorf("the webhook's parent is %q, and its event %s", webhook.Parent, webhook.About["frontdesk.event"])
	}
	only(t, collector.Of(told[1]), "webhooks.v1")
}

// A program without a collector sends receivers no trace context.
func TestWithoutACollectorThereIsNoTrace_D109(t *testing.T) {
	t.Parallel()
	p := trace(t, tracing.Config{})
	p.callIn(t, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if told := (<-p.told).Values("traceparent"); told != nil {
		t.Errorf("the receiver got the trace context %q", told)
	}
}
