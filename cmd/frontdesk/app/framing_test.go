package app_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"frontdesk/commands"
)

// No route is reached by a path with an escape. A proxy in front may judge the path
// before it is unescaped, or after.
func TestAnEscapeInAPathLeadsNowhere_D50(t *testing.T) {
	t.Parallel()
	service, err := staffPagesAt(t, "https://auth.frontdesk.test")
	must(t, err)
	must(t, service.Desk.RegisterPractice(t.Context(), commands.RegisterPractice{Tenant: "elm-street", Name: "Elm Street"}))
	for _, c := range []struct {
		host, path string
		want       int
	}{
		{"elm-street.frontdesk.test", "/transactional-api/ping", http.StatusForbidden}, // it is reached
		{"elm-street.frontdesk.test", "/transactional-api%2fping", http.StatusNotFound},
		{"elm-street.frontdesk.test", "/transactional-api%2Fping", http.StatusNotFound},
		{"elm-street.frontdesk.test", "/transactional-api%5cping", http.StatusNotFound},
		{"elm-street.frontdesk.test", "/transactional-api/ping%00", http.StatusNotFound},
		{"elm-street.frontdesk.test", "/transactional-api/x/%2e%2e/ping", http.StatusNotFound},
		{"elm-street.frontdesk.test", "/transactional-api/%70ing", http.StatusNotFound},
		{"elm-street.frontdesk.test", "http://elm-street.frontdesk.test/transactional-api%2fping", http.StatusNotFound},
		{"elm-street.frontdesk.test", "/transactional-api/ping?x=%2f", http.StatusForbidden},
		{"auth.frontdesk.test", "/elm-street/staff/sign-in", http.StatusOK},
		{"auth.frontdesk.test", "/elm-street%2fstaff/sign-in", http.StatusNotFound},
		{"auth.frontdesk.test", "/elm-street/staff%2fsign-in", http.StatusNotFound},
		{"auth.frontdesk.test", "/elm-street/staff/%2e%2e/staff/sign-in", http.StatusNotFound},
		{"auth.frontdesk.test", "/elm%2dstreet/staff/sign-in", http.StatusNotFound},
		{"auth.frontdesk.test", "/elm-street/staff/sign-in%00", http.StatusNotFound},
	} {
		if got := statusOfLine(t, service.URL(), c.host, c.path); got != c.want {
			t.Errorf("%s%s is answered %d, want %d", c.host, c.path, got, c.want)
		}
	}
}

// statusOfLine asks for a path as it is written.
func statusOfLine(t *testing.T, url, host, path string) int {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	must(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, host)
	must(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	must(t, response.Body.Close())
	return response.StatusCode
}
