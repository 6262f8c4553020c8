package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"frontdesk/adapters/clock/clocktest"
	"frontdesk/cmd/frontdesk/testworld"
)

func TestShutdownFinishesAcceptedCalls(t *testing.T) {
	t.Parallel()
	w := testworld.Serve(t, oneTenant)
	service := w.App()
	integrator, patient := onboard(t, service)
	body := requestBody(patient)

	conn, err := net.Dial("tcp", strings.TrimPrefix(service.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /transactional-api/create-patient-request HTTP/1.1\r\nHost: elm-street.frontdesk.test\r\n"+
		"Authorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		integrator.Token(service.Desk.Now()), len(body))
	reader := bufio.NewReader(conn)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- w.Stop() }() // the call has been let in, and its body is on the way
	for refused := false; !refused; {
		_, err := net.Dial("tcp", conn.RemoteAddr().String())
		refused = err != nil
	}
	fmt.Fprint(conn, body)
	_, _ = reader.ReadString('\n') // the empty line behind "100 Continue"
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("a call that was let in is answered %d", response.StatusCode)
	}
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
}

func TestPrivateListenerServesOperators(t *testing.T) {
	t.Parallel()
	service := testworld.Serve(t, oneTenant).App()
	onboard(t, service)
	for path, want := range map[string]string{
		"/healthz": "ok",
		"/readyz":  "ready",
	} {
		if got := get(t, service.PrivateURL()+path); !strings.Contains(got, want) {
			t.Errorf("%s answers %q", path, got)
		}
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/nothing"} {
		if got := headersOf(t, service.PrivateURL()+path).Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s: X-Content-Type-Options is %q", path, got)
		}
	}
	if got := get(t, service.PrivateURL()+"/readyz"); !strings.Contains(got, "\nwarning: no erasure ledger is set") {
		t.Errorf("personal data without a ledger: /readyz answers %q", got)
	}
	for _, name := range []string{
		"frontdesk_log_head", "frontdesk_unsequenced_events", "frontdesk_unsequenced_age_seconds", "frontdesk_log_gaps", "frontdesk_feed_offset",
		"frontdesk_consumer_lag_seconds", "frontdesk_log_missing_events", "go_goroutines",
	} {
		// Figures are left out while the database takes longer than a collection may, and so is a consumer that has not begun.
		clocktest.Eventually(t, func() bool { return strings.Contains(get(t, service.PrivateURL()+"/metrics"), name) }, "there is a metric %s", name)
	}
}

func headersOf(t *testing.T, url string) http.Header {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.Header
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%s answers %d, %v", url, response.StatusCode, err)
	}
	return string(body)
}
