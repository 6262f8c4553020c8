package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/clock"
	"frontdesk/adapters/httpapi"
	"frontdesk/domain/patient"
	"frontdesk/domain/record"
	"frontdesk/projections"
)

// library is an API of which each application may read one long record.
func library(t *testing.T, permits httpapi.Permits) *httpapi.API {
	t.Helper()
	api, _ := countedLibrary(t, permits)
	return api
}

// countedLibrary counts how often a record was read.
func countedLibrary(t *testing.T, permits httpapi.Permits) (*httpapi.API, *atomic.Int32) {
	t.Helper()
	var reads atomic.Int32
	api := crowd(&counter{}, permits)
	store := practiceDay(t)
	api.Desk.Store, api.Desk.Patients = store, store
	api.CareRecord = func(_ context.Context, _ string, _ patient.ID, long bool) (projections.CareRecord, error) {
		if !long {
			return projections.CareRecord{}, projections.ErrLongRecord
		}
		reads.Add(1)
		note := record.NoteCreated{Patient: ann, Text: strings.Repeat("<b> & ", 20_000)}
		return projections.CareRecord{PatientName: "Ann", Entries: []projections.RecordEntry{{Event: note}}, Complete: true}, nil
	}
	return api, &reads
}

// reading is the head of a call for the record.
func reading(name string) string {
	return "GET /transactional-api/retrieve-care-record?patientId=" + annID + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + name + "\r\n\r\n"
}

func TestSlowReaderIsDisconnected_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api, reads := countedLibrary(t, httpapi.Permits{Slots: 2, Answers: 2})
		w := serve(t, api)
		var stalled []*client
		begun := clock.Start()
		for n := range 2 { // each has a permit for a long answer, and no slot
			stalled = append(stalled, w.dial(t))
			stalled[n].send(t, reading("greedy"))
			synctest.Wait()
			wantServed(t, w, "honest")
		}
		refused := w.dial(t)
		refused.send(t, reading("greedy"))
		wantAnswer(t, refused.answer(t), http.StatusServiceUnavailable, "unavailable")
		if n := reads.Load(); n != 2 {
			t.Errorf("%d records were read, want 2: to refuse is cheap", n)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		for _, c := range stalled {
			if _, err := io.ReadAll(c.answers); err != nil || begun.Elapsed() != 10*time.Second {
				t.Errorf("the connection ends with %v after %s", err, begun.Elapsed())
			}
		}
		refused.send(t, reading("greedy")) // the same connection
		if answer := refused.answer(t); answer.Code != http.StatusOK || answer.Body.Len() < 120_000 {
			t.Errorf("after they have gone: %d", answer.Code)
		}
	})
}

// Making a long answer keeps a core busy, so long ones leave cores for the others.
func TestLongAnswersAreMadeInTurns_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		api := library(t, httpapi.Permits{})
		var making, most atomic.Int32
		read := api.CareRecord
		api.CareRecord = func(ctx context.Context, tenant string, id patient.ID, long bool) (projections.CareRecord, error) {
			if long {
				most.Store(max(most.Load(), making.Add(1)))
				defer making.Add(-1)
				time.Sleep(time.Second)
			}
			return read(ctx, tenant, id, long)
		}
		w := serve(t, api)
		var readers []*client
		for n := range 8 {
			readers = append(readers, w.dial(t))
			readers[n].send(t, reading(fmt.Sprint("reader ", n)))
		}
		synctest.Wait()
		wantServed(t, w, "honest")
		for _, c := range readers {
			if answer := c.answer(t); answer.Code != http.StatusOK {
				t.Errorf("answered %d", answer.Code)
			}
		}
		if half := max(1, runtime.GOMAXPROCS(0)/2); int(most.Load()) != half {
			t.Errorf("%d were made at once, want %d", most.Load(), half)
		}
	})
}

// A slow reader is not a stalled one.
func TestALongAnswerMayTakeItsTime_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := serve(t, library(t, httpapi.Permits{})).dial(t)
		c.send(t, reading("slow-reader"))
		response, err := http.ReadResponse(c.answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var text bytes.Buffer
		for n := int64(1); n > 0; time.Sleep(4 * time.Second) {
			n, _ = io.CopyN(&text, response.Body, 32<<10)
		}
		if int64(text.Len()) != response.ContentLength || !json.Valid(text.Bytes()) {
			t.Errorf("%d bytes of %d were read", text.Len(), response.ContentLength)
		}
		if strings.Contains(text.String(), `\u003c`) || !strings.Contains(text.String(), "<b> & ") {
			t.Error("what is no HTML is escaped as if it were")
		}
	})
}

// Many faults make a long refusal.
func TestALongRefusalNeedsASeat_D43(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := serve(t, library(t, httpapi.Permits{Answers: 1}))
		faults := strings.Replace(cough(), `"response":[`, `"response":[`+strings.Repeat(`{"answer":""},`, 2000), 1)
		stalled, late := w.dial(t), w.dial(t)
		stalled.send(t, as("greedy", len(faults))+faults)
		synctest.Wait()
		late.send(t, as("greedy", len(faults))+faults)
		wantAnswer(t, late.answer(t), http.StatusServiceUnavailable, "unavailable")
		if answer := stalled.answer(t); answer.Code != http.StatusBadRequest || answer.Body.Len() < 100_000 {
			t.Errorf("answered %d with %d bytes", answer.Code, answer.Body.Len())
		}
	})
}

// lines collects the log, line by line.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write records a line.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func TestAClientThatGoesIsNotOurFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, log := &counter{caller: asApplication}, &lines{}
		api := c.api()
		api.Log = slog.New(slog.NewTextHandler(log, nil))
		client := serve(t, api).dial(t)
		c.appending = func() { // the client disconnects while it is served
			_ = client.Close()
			time.Sleep(time.Second)
		}
		client.send(t, head(len(cough()))+cough())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		text := log.text.String()
		if strings.Contains(text, "level=ERROR") || strings.Contains(text, "level=WARN") || !strings.Contains(text, "call was cut off") {
			t.Errorf("logged:\n%s", text)
		}
	})
}

// A body with invalid chunk framing (RFC 9112), or one that ends too early, cannot be
// trusted. The client sees the whole answer, and the connection is closed.
func TestABodyThatBreaksIsTheClients_D19(t *testing.T) {
	t.Parallel()
	const whole = `{"patientId":"x"}` // 17 bytes
	for name, chunks := range map[string]string{
		"no size":                "no length\r\n",
		"an empty size":          "\r\n",
		"a size below zero":      "-11\r\n" + whole + "\r\n0\r\n\r\n",
		"a size with a prefix":   "0x11\r\n" + whole + "\r\n0\r\n\r\n",
		"a size beyond 64 bits":  "10000000000000011\r\n" + whole + "\r\n0\r\n\r\n",
		"a size of many digits":  strings.Repeat("0", 4096) + "11\r\n" + whole + "\r\n0\r\n\r\n",
		"a line without an end":  "11;" + strings.Repeat("x", 8192),
		"no line break after it": "11\r\n" + whole + "0\r\n\r\n",
		"more than its size":     "10\r\n" + whole + "\r\n0\r\n\r\n",
		"half a line break":      "11\r\n" + whole + "\r0\r\n\r\n",
		"a bare line feed":       "11\n" + whole + "\r\n0\r\n\r\n",
		"a bare carriage return": "11;\r\r\n" + whole + "\r\n0\r\n\r\n",
		"mostly extensions":      strings.Repeat("1;"+strings.Repeat("x", 1000)+"\r\n \r\n", 100) + "0\r\n\r\n",
		"junk in the trailer":    "11\r\n" + whole + "\r\n0\r\nno header\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := serve(t, (&counter{caller: asApplication}).api()).dial(t)
				go func() { _, _ = io.WriteString(client, chunkedHead+chunks) }()
				wantAnswer(t, client.answer(t), http.StatusBadRequest, "invalid-request-body")
				client.wantClosed(t)
			})
		})
	}
}

// A client that closes its side in the middle of a body counts as disconnected, even if
// it still reads.
func TestABodyThatEndsEarlyIsNoFailure_D47(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer((&counter{caller: asApplication}).api().Handler())
	defer server.Close()
	for name, call := range map[string]string{
		"in a chunk":        chunkedHead + "11\r\n{\"patient",
		"in a size":         chunkedHead + "1",
		"between chunks":    chunkedHead + "2\r\n{}\r\n",
		"in the trailer":    chunkedHead + "2\r\n{}\r\n0\r\n",
		"before its length": head(17) + "{}",
	} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		client := &client{conn, bufio.NewReader(conn)}
		client.send(t, call)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if got := client.answer(t).Code; got != 499 {
			t.Errorf("%s: status %d", name, got)
		}
		_ = conn.Close()
	}
}
