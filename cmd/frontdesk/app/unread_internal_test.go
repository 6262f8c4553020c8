package app

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/commands/commandtest"
)

// refusedAs is the contract's answer to one request.
type refusedAs struct {
	status int
	code   string
}

// answersTo sends a client's text to a listener configured as in the app, and returns all
// answers.
func answersTo(t *testing.T, text string, handler http.HandlerFunc) (all []*http.Response, bodies []string) {
	t.Helper()
	conn := listeningAs(t, handler, unreadBy(slog.New(slog.DiscardHandler), func() time.Time { return commandtest.Noon }))
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	for reader := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			return all, bodies
		}
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		all, bodies = append(all, response), append(bodies, string(body))
	}
}

func TestMalformedRequestIsRefusedByContract_D93(t *testing.T) {
	t.Parallel()
	long := "GET /z HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("y", 64<<10) + "\r\n\r\n"
	for name, c := range map[string]struct {
		text string
		want refusedAs
		says string // in the description
	}{
		"no HTTP":                {"hello\r\n\r\n", refusedAs{400, "malformed-request"}, "first line"},
		"no host":                {"GET / HTTP/1.1\r\n\r\n", refusedAs{400, "malformed-request"}, "Host"},
		"two hosts":              {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", refusedAs{400, "malformed-request"}, "header"},
		"a bad host":             {"GET / HTTP/1.1\r\nHost: x y\r\n\r\n", refusedAs{400, "malformed-request"}, "Host"},
		"a bad name":             {"GET / HTTP/1.1\r\nHost: x\r\nX y: z\r\n\r\n", refusedAs{400, "malformed-request"}, "HTTP/1.1"},
		"a bad value":            {"GET / HTTP/1.1\r\nHost: x\r\nX: \x01\r\n\r\n", refusedAs{400, "malformed-request"}, "HTTP/1.1"},
		"two ends":               {post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", refusedAs{400, "malformed-request"}, "two readers"},
		"a folded header":        {post + "X: y\r\n z\r\n\r\n", refusedAs{400, "malformed-request"}, "two readers"},
		"long headers":           {long, refusedAs{431, "headers-too-large"}, "32 KiB"},
		"an unknown encoding":    {post + "Transfer-Encoding: gzip\r\n\r\n", refusedAs{400, "malformed-request"}, "chunked"},
		"another version":        {"GET / HTTP/3.0\r\nHost: x\r\n\r\n", refusedAs{400, "malformed-request"}, "HTTP/1.1"},
		"an unknown expectation": {post + "Expect: a-miracle\r\nContent-Length: 0\r\n\r\n", refusedAs{400, "malformed-request"}, "Expect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for how, before := range map[string]string{"at once": "", "behind another": plain} {
				served := 0
				all, bodies := answersTo(t, before+c.text, func(http.ResponseWriter, *http.Request) { served++ })
				want := len(before) / len(plain)
				if want == 1 && len(all) == 1 && all[0].Close {
					continue // the answer before it has ended the connection
				}
				if served != want || len(all) != want+1 {
					t.Fatalf("%s: %d were served, and %d answers came", how, served, len(all))
				}
				last, body := all[len(all)-1], bodies[len(all)-1]
				var told struct {
					Errors []struct{ Code, Description string }
				}
				if err := json.Unmarshal([]byte(body), &told); err != nil || len(told.Errors) != 1 {
					t.Fatalf("%s: %d %q, %v", how, last.StatusCode, body, err)
				}
				if got := (refusedAs{last.StatusCode, told.Errors[0].Code}); got != c.want || !strings.Contains(told.Errors[0].Description, c.says) {
					t.Errorf("%s: %+v %s, want %+v with %q", how, got, body, c.want, c.says)
				}
				if _, err := uuid.Parse(last.Header.Get("X-Request-Id")); err != nil || !last.Close || last.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s: %v", how, last.Header)
				}
			}
		})
	}
}

// A file from a client may look like an answer of net/http, and may begin wherever a part of
// an answer begins.
func TestAnAnswerIsNotTakenForARefusal_D93(t *testing.T) {
	t.Parallel()
	const fake = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	_, bodies := answersTo(t, plain+plain+"x\r\n\r\n", func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			_, _ = io.WriteString(w, fake)
			_ = http.NewResponseController(w).Flush()
		}
	})
	if want := strings.Repeat(fake, 3); len(bodies) != 3 || bodies[0] != want || bodies[1] != want {
		t.Errorf("answered %q", bodies)
	}
}
