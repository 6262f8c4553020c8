package features_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/cucumber/godog"
	"github.com/google/uuid"
)

// answerSteps are about the last answer of the API.
func (w *world) answerSteps(sc *godog.ScenarioContext) {
	sc.Step(`^the answer is (\d+)$`, w.answerIs)
	sc.Step(`^the answer is (\d+) with a patientRequestId$`, w.answerHasRequest)
	sc.Step(`^the answer is (\d+) "([^"]*)"$`, w.answerHasCode)
	sc.Step(`^the answer is (\d+) "([^"]*)" because "([^"]*)"$`, w.answerHasReason)
	sc.Step(`^the answer is (\d+) with the codes:$`, w.answerHasCodes)
	sc.Step(`^the answer is:$`, w.answerEquals)
	sc.Step(`^the answer has the header "([^"]*)"$`, w.answerHasHeader)
	sc.Step(`^the answer has the header "([^"]*)" = "([^"]*)"$`, w.answerHasHeaderValue)
}

// answer is an HTTP answer, read.
type answer struct {
	status  int
	headers http.Header
	body    []byte
	errors  []struct{ Code, Description string }
}

func read(response *http.Response) (*answer, error) {
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	a := &answer{status: response.StatusCode, headers: response.Header, body: body}
	if a.status < 400 {
		return a, nil
	}
	var problems struct {
		Errors []struct{ Code, Description string }
	}
	if err := json.Unmarshal(body, &problems); err != nil {
		return nil, fmt.Errorf("the answer %d has no body of §2.6: %s", a.status, body)
	}
	a.errors = problems.Errors
	return a, nil
}

func (w *world) answerIs(status int) error {
	if w.answer.status != status {
		return fmt.Errorf("the answer is %d %s", w.answer.status, w.answer.body)
	}
	if w.answer.headers.Get("X-Request-Id") == "" {
		return fmt.Errorf("the answer has no X-Request-Id")
	}
	return nil
}

func (w *world) answerHasRequest(status int) error {
	if err := w.answerIs(status); err != nil {
		return err
	}
	var made map[string]uuid.UUID
	if err := json.Unmarshal(w.answer.body, &made); err != nil || len(made) != 1 || made["patientRequestId"] == uuid.Nil {
		return fmt.Errorf("the answer is %s, %w", w.answer.body, err)
	}
	return nil
}

func (w *world) answerHasCode(status int, code string) error {
	if err := w.answerIs(status); err != nil {
		return err
	}
	if got := w.codes(); got != code {
		return fmt.Errorf("the codes are %s: %s", got, w.answer.body)
	}
	return nil
}

func (w *world) codes() string {
	codes := make([]string, len(w.answer.errors))
	for i, e := range w.answer.errors {
		codes[i] = e.Code
	}
	return strings.Join(codes, ", ")
}

func (w *world) answerHasReason(status int, code, reason string) error {
	if err := w.answerHasCode(status, code); err != nil {
		return err
	}
	if got, want := w.answer.errors[0].Description, w.filled(reason); got != want {
		return fmt.Errorf("the reason is %q, want %q", got, want)
	}
	return nil
}

func (w *world) answerHasCodes(status int, table *godog.Table) error {
	codes := make([]string, len(table.Rows))
	for i, row := range table.Rows {
		codes[i] = row.Cells[0].Value
	}
	return w.answerHasCode(status, strings.Join(codes, ", "))
}

func (w *world) answerEquals(body *godog.DocString) error {
	var got, want any
	if err := json.Unmarshal(w.answer.body, &got); err != nil {
		return fmt.Errorf("the answer is no JSON: %s", w.answer.body)
	}
	if err := json.Unmarshal([]byte(w.filled(body.Content)), &want); err != nil {
		return err
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Errorf("the answer is %s", w.answer.body)
	}
	return nil
}

func (w *world) answerHasHeader(name string) error {
	if w.answer.headers.Get(name) == "" {
		return fmt.Errorf("the headers are %v", w.answer.headers)
	}
	return nil
}

func (w *world) answerHasHeaderValue(name, value string) error {
	if got := w.answer.headers.Get(name); got != value {
		return fmt.Errorf("%s is %q", name, got)
	}
	return nil
}
