package app_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"frontdesk/adapters/clock/clocktest"
)

// Metrics are needed most while something is wrong.
func TestMetricsAreServedWhileTheDatabaseIsAway_D110(t *testing.T) {
	t.Parallel()
	s, state := newStates(t), away["out of connections"]
	s.serves(t, "frontdesk_ready 1", "frontdesk_clock_offset_seconds ", `frontdesk_signing_key_since_timestamp_seconds{state="active"}`, "frontdesk_log_head ")
	s.as(t, state.begin, state.cut)
	s.serves(t, "frontdesk_ready 0", `frontdesk_pool_connections_max{pool="calls"} 16`, `frontdesk_seats{kind="slots"} 1024`)
	if page := s.metrics(t); strings.Contains(page, "frontdesk_log_head ") || strings.Contains(page, "frontdesk_clock_offset_seconds ") {
		t.Errorf("figures of a database that cannot be asked are made up:\n%s", page)
	}
	s.as(t, state.end, state.cut)
	s.serves(t, "frontdesk_ready 1", "frontdesk_clock_offset_seconds ", `frontdesk_sweep_completed_timestamp_seconds{record="deliveries"}`)
}

func TestMetricsShowCallsThatAreUnderWay_D110(t *testing.T) {
	t.Parallel()
	s := newStates(t)
	s.serves(t, "frontdesk_calls_in_flight 0", `frontdesk_seats_taken{kind="bodies"} 0`)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://"))
	must(t, err)
	defer conn.Close()
	body := requestBody(s.patient)
	fmt.Fprintf(conn, "POST /transactional-api/create-patient-request HTTP/1.1\r\nHost: elm-street.frontdesk.test\r\nConnection: close\r\n"+
		"Authorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.integrator.Token(s.Desk.Now()), len(body))
	s.serves(t, "frontdesk_calls_in_flight 1", `frontdesk_seats_taken{kind="bodies"} 1`)
	fmt.Fprint(conn, body)
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(line, "200") {
		t.Errorf("answered %q, %v", line, err)
	}
	s.serves(t, "frontdesk_calls_in_flight 0", `frontdesk_seats_taken{kind="bodies"} 0`, `frontdesk_key_set_fetch_seconds_count{outcome="read"} 1`,
		`frontdesk_call_seconds_count{endpoint="create-patient-request",status="200"} 1`)
}

func (s *states) metrics(t *testing.T) string {
	t.Helper()
	return get(t, s.PrivateURL()+"/metrics")
}

// serves waits until each of these is the beginning of a line of the metrics.
func (s *states) serves(t *testing.T, beginnings ...string) {
	t.Helper()
	for _, beginning := range beginnings {
		clocktest.Eventually(t, func() bool { return strings.Contains(s.metrics(t), "\n"+beginning) }, "a metric %s", beginning)
	}
}
