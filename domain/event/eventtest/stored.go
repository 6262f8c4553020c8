package eventtest

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"frontdesk/domain/event"
)

// row is the stored form of an event that has personal values, before encryption.
type row struct {
	Data     json.RawMessage  `json:"data"`
	Metadata json.RawMessage  `json:"metadata"`
	Personal []event.Personal `json:"personal"`
}

// stored compares the stored form of an event with <folder>/stored/<name>.json, if the
// event has personal values, and joins it again. Its metadata has an idempotent call
// and an act claim with names.
func stored(t *testing.T, codec *event.Codec, folder string, e event.Event) {
	t.Helper()
	r := event.Recorded{Event: e, Stream: event.Stream{Tenant: "elm-street", ID: uuid.MustParse("0190c7a2-0000-7000-8000-00000000000b")}, Version: 1}
	if _, personal, err := codec.Split(r); err != nil || len(personal) == 0 {
		return
	}
	r.Metadata = event.Metadata{
		Actor: event.Application(Ann, "application-restricted", &event.OnBehalfOf{
			Practitioner: event.Practitioner{Name: "Dr Bell", Email: "Bell@elm.example"}, Organisation: event.Organisation{Name: "Elm Street"},
		}),
		Idempotency: event.Idempotency{Key: event.Digest{7}, Body: strings.Repeat("0f", 32)},
	}
	s, personal, err := codec.Split(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(row{s.Data, s.Metadata, personal}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var want row
	if err := json.Unmarshal(goldenFile(t, filepath.Join(folder, "stored", e.EventName()+".json"), append(got, '\n')), &want); err != nil {
		t.Fatal(err)
	}
	text, err := json.MarshalIndent(want, "", "  ")
	if diff := cmp.Diff(string(text), string(got)); err != nil || diff != "" {
		t.Errorf("what is stored has changed, %v (-stored +now):\n%s", err, diff)
	}
	s.Data, s.Metadata = want.Data, want.Metadata
	back, err := codec.Join(s, want.Personal)
	if diff := cmp.Diff(r, back); err != nil || diff != "" {
		t.Errorf("the stored event is joined differently, %v (-want +got):\n%s", err, diff)
	}
}
