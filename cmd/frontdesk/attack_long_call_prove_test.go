//go:build prove

package main_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/devkit/sandbox"
	"frontdesk/cmd/frontdesk/testworld"
)

// TestProveThatRightsAreCheckedAfterALongBody begins a call while it is allowed, with a
// part of a file that is stored at once. The application is disabled before the rest is sent:
// the call is refused, and none of it is kept.
func TestProveThatRightsAreCheckedAfterALongBody(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Start()
	info := *s.Info()
	body := fmt.Sprintf(`{"patientId":%q,"requestType":"medical","requester":"patient","response":[{"question":"healthConcern","answer":"A rash"}],
		"attachments":[{"fileName":"rash.jpg","contentType":"image/jpeg","data":"%s"}]}`, info.Patients[0].ID, strings.Repeat("AAAA", 256<<10))
	requests, parts := s.submitted(t), s.storedParts(t) // of the seed
	call := s.begin(t, info, len(body))
	call.send(t, body[:len(body)/2])
	time.Sleep(3 * time.Second) // a body that took longer than 2 s took long
	s.Run("application", "disable", "--database-url", info.DatabaseURL, "--tenant", info.TenantID, "--application", info.Application.ID.String())
	call.send(t, body[len(body)/2:])

	status, text := call.answer(t)
	if status != http.StatusForbidden || !strings.Contains(text, "has not been granted access to this tenant") {
		t.Fatalf("answered %d %s", status, text)
	}
	if n := s.submitted(t); n != requests {
		t.Errorf("%d requests are in the log, want %d", n, requests)
	}
	waitFor(t, func() bool { return s.storedParts(t) == parts })
	provetest.Tried(t, 1, "long calls")
}

// slowCall is a call whose body is sent by hand.
type slowCall struct{ conn net.Conn }

func (s *program) begin(t *testing.T, info sandbox.Info, length int) slowCall {
	t.Helper()
	signer, err := testworld.Signer(info.Application.KID, info.Application.PrivateKeyFile)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Token(info.Application.ID.String(), "", clock.System())
	if err != nil {
		t.Fatal(err)
	}
	at, err := url.Parse(info.APIURL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	call := slowCall{conn}
	call.send(t, fmt.Sprintf("POST /transactional-api/create-patient-request HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", at.Host, token, length))
	return call
}

func (c slowCall) send(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c.conn, text); err != nil {
		t.Fatal(err)
	}
}

func (c slowCall) answer(t *testing.T) (status int, text string) {
	t.Helper()
	answer, err := http.ReadResponse(bufio.NewReader(c.conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// submitted is the number of patient requests in the log.
func (s *program) submitted(t *testing.T) (n int) {
	t.Helper()
	engine, err := app.Open(t.Context(), app.Config{DatabaseURL: s.Info().DatabaseURL})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	if err := engine.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for e, err := range engine.Log.After(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.EventName() == "patient-request.submitted.v1" {
			n++
		}
	}
	return n
}

// storedParts is the number of parts of files that the database holds.
func (s *program) storedParts(t *testing.T) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.Info().DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM upload_chunks`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
