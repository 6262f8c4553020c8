package features_test

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/adapters/webhooks"
	"frontdesk/domain/application"
)

// contract is the OpenAPI description that every answer of every scenario is
// held against.
var contract = sync.OnceValues(httpapitest.NewContract)

// checkContract says what about an answer is not as the OpenAPI description
// says; and, where the call was accepted, about the body that was.
func checkContract(r *http.Request, body string, a *answer) error {
	c, err := contract()
	if err != nil {
		return err
	}
	if a.status == http.StatusOK {
		if err := c.CheckAccepted(r.Method, r.URL.Path, []byte(body)); err != nil {
			return err
		}
	}
	return c.CheckAnswer(r.Method, r.URL.Path, httpapitest.Answer{Status: a.status, Header: a.headers, Body: a.body})
}

func TestWebhooksAreAsDescribed_6_2(t *testing.T) {
	t.Parallel()
	c, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	name, at := "Dr Lee", time.Date(2026, 3, 2, 12, 0, 0, 1e6, time.UTC)
	for event, data := range map[application.WebhookEvent][]any{
		application.RecordOpened:        {webhooks.PatientData{}, webhooks.PatientData{UserName: &name, UserEmail: &name}},
		application.ConsultationStarted: {webhooks.PatientData{}, webhooks.PatientData{UserName: &name, UserEmail: &name}},
		application.CallInShown:         {webhooks.CallInShownData{CalledInAt: at}, webhooks.CallInShownData{CalledInAt: at, RoomName: &name}},
		application.CallInRemoved:       {webhooks.CallInRemovedData{RemovedAt: at}},
	} {
		for _, data := range data {
			claims, err := json.Marshal(webhooks.Claims{
				Issuer: webhooks.Issuer, IssuedAt: at.Unix(), ExpiresAt: at.Unix() + 60, ID: uuid.New(), Event: event, TenantID: "elm", Data: data,
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.CheckWebhook(string(event), claims); err != nil {
				t.Error(err)
			}
		}
	}
}
