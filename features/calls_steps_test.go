package features_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/cucumber/godog"

	"frontdesk/adapters/clock"
)

// callsSteps are about the headers of every call and answer.
func (w *world) callsSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" calls POST (\S+) under the key "([^"]*)" with (\{.*\})$`, w.postsUnderKey)
	sc.Step(`^"([^"]*)" calls GET (\S+) with a header of (\d+) bytes$`, w.callsWithLongHeader)
	sc.Step(`^the answer has no header "([^"]*)"$`, w.answerHasNoHeader)
	sc.Step(`^the answer has the header ([^" ]+): (.+)$`, w.answerHasHeaderValue)
	sc.Step(`^somebody sends the lines:$`, w.sendsLines)
}

func (w *world) postsUnderKey(app, path, key, body string) error {
	return w.call(app, http.MethodPost, path, w.filled(body), http.Header{"Idempotency-Key": {key}, "Content-Type": {"application/json"}})
}

func (w *world) callsWithLongHeader(app, path string, bytes int) error {
	return w.call(app, http.MethodGet, path, "", http.Header{"X-Long": {strings.Repeat("y", bytes)}})
}

func (w *world) answerHasNoHeader(name string) error {
	if w.answer == nil {
		return errors.New("nothing was answered")
	}
	if got, there := w.answer.headers[http.CanonicalHeaderKey(name)]; there {
		return fmt.Errorf("the answer has the header %s: %q", name, got)
	}
	return nil
}

// sendsLines sends raw lines, on a connection of its own, which the service has to end.
func (w *world) sendsLines(text *godog.DocString) error {
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL(), "http://"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(clock.Deadline(stepLimit)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, strings.ReplaceAll(text.Content, "\n", "\r\n")+"\r\n\r\n"); err != nil {
		return err
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		return err
	}
	if w.answer, err = read(response); err != nil {
		return err
	}
	if response.Close {
		w.answer.headers.Set("Connection", "close") // net/http removes it
	}
	if rest, err := io.ReadAll(reader); err != nil || len(rest) > 0 {
		return fmt.Errorf("the connection goes on with %q, %w", rest, err)
	}
	return nil
}
