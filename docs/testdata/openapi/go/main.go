// Command integrator calls a running service with the client that oapi-codegen makes:
// integrator BASE-URL TOKEN PATIENT. It reads claims of webhooks, a line each, from
// standard input.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/google/uuid"
	_ "github.com/oapi-codegen/runtime" // the generated code imports it
)

func main() {
	if err := run(context.Background(), os.Args[1], os.Args[2], uuid.MustParse(os.Args[3])); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("called")
}

func run(ctx context.Context, url, token string, patient Id) error {
	client, err := NewClientWithResponses(url, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	if err != nil {
		return err
	}
	submitted, err := client.CreatePatientRequestWithResponse(ctx, nil, PatientRequest{
		PatientId: patient, RequestType: RequestTypeMedical, Requester: RequesterPatient,
		Response: []ResponseItem{{Question: ResponseItemQuestionHealthConcern, Answer: "A cough"}},
	})
	if err != nil {
		return err
	}
	if submitted.JSON200 == nil || submitted.JSON200.PatientRequestId == uuid.Nil {
		return fmt.Errorf("submit: %s", submitted.Body)
	}
	refused, err := client.CreateNoteWithResponse(ctx, nil, CreateNoteJSONRequestBody{PatientId: patient, Note: " "})
	if err != nil {
		return err
	}
	if refused.JSON400 == nil || refused.JSON400.Errors[0].Code != "empty-note" {
		return fmt.Errorf("an empty note: %s", refused.Body)
	}
	later, err := ParseCreateNoteResponse(&http.Response{
		StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(`{"errors":[{"code":"a-code-of-tomorrow","description":"Tomorrow."}]}`)),
	})
	if err != nil || later.JSON400 == nil || later.JSON400.Errors[0].Code != "a-code-of-tomorrow" {
		return fmt.Errorf("a code that is not described: %v", err)
	}
	return webhooks()
}

// webhooks reads each event as its type.
func webhooks() error {
	read := 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); read++ {
		var claims WebhookClaims
		if err := json.Unmarshal(lines.Bytes(), &claims); err != nil {
			return err
		}
		event, err := claims.ValueByDiscriminator()
		if err != nil {
			return err
		}
		switch event := event.(type) {
		case RecordOpened:
			fmt.Println(event.Event, event.Data.PatientId)
		case ConsultationStarted:
			fmt.Println(event.Event, event.Data.PatientId)
		case CallInShown:
			fmt.Println(event.Event, event.Data.AppointmentId)
		case PingWebhook:
			fmt.Println(event.Event)
		case CallInRemoved:
			fmt.Println(event.Event, event.Data.RemovedAt)
		default:
			fmt.Printf("%T\n", event)
		}
	}
	var strange WebhookClaims
	if err := json.Unmarshal([]byte(`{"event":"no.such.event"}`), &strange); err != nil {
		return err
	}
	if _, err := strange.ValueByDiscriminator(); err == nil {
		return fmt.Errorf("the union of webhooks is not closed")
	}
	if read == 0 {
		return fmt.Errorf("there was no webhook to read")
	}
	return nil
}
