package app_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/cmd/frontdesk/app"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/domain/event"
	"frontdesk/feed"
)

// relaying is a program that relays to a broker.
func relaying(t *testing.T, url string) (service *app.App, end func() error) {
	t.Helper()
	w := testworld.Serve(t, oneTenant, func(c *app.Config) {
		c.Broker, c.BrokerStreams = broker.Server{URLs: []string{url}}, broker.Streams{Replicas: 1}
	})
	return w.App(), w.Stop
}

// submit submits a patient request.
func submit(t *testing.T, service *app.App, integrator bearertest.Application, patient string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, service.URL()+"/transactional-api/create-patient-request", strings.NewReader(requestBody(patient)))
	must(t, err)
	request.Host = "elm-street.frontdesk.test"
	request.Header.Set("Authorization", "Bearer "+integrator.Token(service.Desk.Now()))
	request.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Timeout: time.Minute}).Do(request)
	must(t, err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("a call is answered %d", response.StatusCode)
	}
}

// relayed waits until the broker has as many events as the log, and returns their bytes.
func relayed(t *testing.T, service *app.App, js jetstream.JetStream) (all []*jetstream.RawStreamMsg) {
	t.Helper()
	must(t, service.Drain(t.Context()))
	head, err := service.Log.Head(t.Context())
	must(t, err)
	looks := time.NewTicker(10 * time.Millisecond)
	defer looks.Stop()
	for range 3000 {
		<-looks.C
		stream, err := js.Stream(t.Context(), feed.StreamName(1))
		if err != nil || stream.CachedInfo().State.LastSeq < uint64(head) {
			continue
		}
		for idx := range uint64(head) {
			msg, err := stream.GetMsg(t.Context(), idx+1)
			must(t, err)
			all = append(all, msg)
		}
		return all
	}
	t.Fatalf("the broker never has all %d events", head)
	return nil
}

// A patient's name and answers are in the log, and in no message and no file of the broker.
func TestNothingPersonalIsRelayed_D101(t *testing.T) {
	t.Parallel()
	s := brokertest.New(t)
	service, end := relaying(t, s.URL())
	integrator, patient := onboard(t, service)
	submit(t, service, integrator, patient)
	all := relayed(t, service, s.JetStream())
	told, personal := false, []string{"Ann Archer", "hurts when", "QW5uIEFyY2hlcg"}
	for _, m := range all {
		message, err := feed.Decode(m.Subject, m.Header, m.Data)
		must(t, err)
		if message.Idx != int64(m.Sequence) {
			t.Errorf("idx %d is at %d", message.Idx, m.Sequence)
		}
		told = told || message.Name == "patient-request.submitted.v1" && message.Patient.String() == patient && bytes.Contains(message.Data, []byte(event.Hidden))
		for _, text := range personal {
			if strings.Contains(fmt.Sprint(m.Subject, m.Header, string(m.Data)), text) {
				t.Errorf("idx %d contains %q: %s", message.Idx, text, m.Data)
			}
		}
	}
	if !told {
		t.Error("the request is not among the messages")
	}
	must(t, end())
	s.Stop()
	bytesStored := 0
	must(t, filepath.WalkDir(s.Dir(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		stored, err := os.ReadFile(path)
		for _, text := range personal {
			if bytes.Contains(stored, []byte(text)) {
				t.Errorf("%s has %q", path, text)
			}
		}
		bytesStored += len(stored)
		return err
	}))
	if bytesStored < 1000 {
		t.Errorf("the broker has stored %d bytes", bytesStored)
	}
}

// A server does not wait for the broker, neither at the start nor at the end.
func TestAServiceServesWithoutItsBroker_D101(t *testing.T) {
	t.Parallel()
	s := brokertest.New(t)
	s.Stop()
	service, end := relaying(t, s.URL())
	integrator, patient := onboard(t, service)
	submit(t, service, integrator, patient)
	s.Start()
	relayed(t, service, s.JetStream())
	s.Stop()
	submit(t, service, integrator, patient)
	must(t, end())
}

func TestABrokerThatCannotBeUsedIsSaidAtTheStart_D101(t *testing.T) {
	t.Parallel()
	_, err := app.New(t.Context(), app.Config{DatabaseURL: "postgres://nowhere.invalid/x", Broker: broker.Server{URLs: []string{"http://u:secret@broker"}}})
	if err == nil || !strings.Contains(err.Error(), "nats://broker-1:4222") || strings.Contains(err.Error(), "secret") {
		t.Errorf("the error is %v", err)
	}
}
