package staffweb

import (
	"slices"
	"testing"
	"time"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/staff"
)

func TestWhatAnApplicationMayDoIsToldInTheOrderOfTheCatalogue(t *testing.T) {
	t.Parallel()
	got := listed([]application.EndpointName{"new-endpoint", access.StartConsultation, access.CreateNote})
	want := []string{"add notes to patients’ care records", "start consultations", "use “new-endpoint”"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestDurationsReadWell(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		12 * time.Hour: "12 hours", time.Hour: "1 hour", 90 * time.Minute: "90 minutes", time.Minute: "1 minute",
		90 * time.Second: "90 seconds", time.Second: "1 second", 1500 * time.Millisecond: "2 seconds",
	} {
		if got := span(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
	for wait, want := range map[time.Duration]time.Duration{
		time.Nanosecond: time.Second, 59*time.Second + 1: time.Minute, 91 * time.Second: 2 * time.Minute, 16 * time.Minute: 16 * time.Minute,
	} {
		if got := roundUp(wait); got != want {
			t.Errorf("%v: got %v, want %v", wait, got, want)
		}
	}
}

func TestBrowsersAreToldInPlainWords_D67(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0":                                                       "Firefox on Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0":          "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15":                  "Safari on a Mac",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36":    "Samsung Internet on Android",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/138.0 Mobile/15E148 Safari/604.1": "Chrome on an iPhone",
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36":                         "Chrome on ChromeOS",
		"curl/8.14": "A browser", "": "A browser", "Windows": "A browser on Windows",
	} {
		if got := browserOf(agent); got != want {
			t.Errorf("%s: got %s, want %s", agent, got, want)
		}
	}
}

func TestEveryRoleHasItsWords(t *testing.T) {
	t.Parallel()
	if got := namesOf(staff.AllRoles()); got != "receptionist, clinician, manager and privacy officer" {
		t.Errorf("got %s", got)
	}
	if got := allOf([]staff.Role{staff.Manager, staff.Clinician}); got != "a manager or a clinician" {
		t.Errorf("got %s", got)
	}
}
