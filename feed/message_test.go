package feed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/feed"
)

func aMessage(tenant string) feed.Message {
	return feed.Message{Epoch: 3, Stored: event.Stored{
		Idx: 41, ID: event.NewID(), Stream: event.Stream{Tenant: tenant, ID: event.NewID()}, Version: 2,
		At: time.Date(2026, 3, 29, 1, 0, 0, 123_456_000, time.UTC), Name: "patient-request.submitted.v1", Patient: event.NewID(),
		Data: []byte(`{"a": "<&>",  "b":1.0}`), Metadata: []byte(`{"actor":{"kind":"service","id":"frontdesk"}}`),
	}}
}

func TestDecodeReversesEncode(t *testing.T) {
	t.Parallel()
	for _, tenant := range []string{"elm-street", ""} {
		for _, patient := range []uuid.UUID{event.NewID(), uuid.Nil} {
			m := aMessage(tenant)
			m.Patient = patient
			sent := feed.Encode(m)
			got, err := feed.Decode(sent.Subject, sent.Header, sent.Data)
			if diff := cmp.Diff(m, got); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		}
	}
}

func TestDecodeRefusesMalformedMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ header, value, subject, body, says string }{
		"no idx":            {header: "Frontdesk-Idx", says: "header Frontdesk-Idx"},
		"no id":             {header: "Nats-Msg-Id", value: "7", says: "header Nats-Msg-Id"},
		"no time":           {header: "Frontdesk-Time", value: "now", says: "header Frontdesk-Time"},
		"another epoch":     {header: "Frontdesk-Epoch", value: "4", says: "is not one of epoch 4"},
		"another subject":   {subject: "frontdesk.log.3.elm-street", says: "is not one of epoch 3"},
		"a longer subject":  {subject: "x.frontdesk.log.3.elm-street.a.v1", says: "is not one of epoch 3"},
		"a practice of _":   {subject: "frontdesk.log.3._elm.a.v1", says: "is not one of epoch 3"},
		"no JSON":           {body: `{"data":`, says: "read the message"},
		"two of one member": {body: `{"data":{},"data":{},"metadata":{}}`, says: "read the message"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := feed.Encode(aMessage("elm-street"))
			if c.header != "" {
				sent.Header.Set(c.header, c.value)
			}
			if c.subject != "" {
				sent.Subject = c.subject
			}
			if c.body != "" {
				sent.Data = []byte(c.body)
			}
			if got, err := feed.Decode(sent.Subject, sent.Header, sent.Data); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("read as %+v, %v", got, err)
			}
		})
	}
}
