package eventtest

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/domain/event"
)

var update = flag.Bool("update-golden", false, "write golden files that do not exist yet")

// Golden compares the stored shape of events with testdata/<name>.json, and reads the
// file back as the same event. The stored form of an event with personal values is in
// testdata/stored/<name>.json. A shape that differs breaks stored data: give the new
// one a new name. New files are written with -update-golden; existing ones never are.
func Golden(t *testing.T, events ...event.Event) {
	t.Helper()
	GoldenIn(t, "testdata", events...)
}

// GoldenIn is [Golden] with the files of a folder. An event gets another file there
// once it has a member that its first file lacks.
func GoldenIn(t *testing.T, folder string, events ...event.Event) {
	t.Helper()
	codec, err := event.NewCodec(events...)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		t.Run(e.EventName(), func(t *testing.T) { golden(t, codec, folder, e) })
	}
}

func golden(t *testing.T, codec *event.Codec, folder string, e event.Event) {
	t.Helper()
	got, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want := goldenFile(t, filepath.Join(folder, e.EventName()+".json"), append(got, '\n'))
	if diff := cmp.Diff(string(want), string(got)+"\n"); diff != "" {
		t.Errorf("the stored shape has changed (-stored +now):\n%s", diff)
	}
	back, err := codec.Decode(e.EventName(), want)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(e, back); diff != "" {
		t.Errorf("the stored event reads back differently (-want +got):\n%s", diff)
	}
	stored(t, codec, folder, e)
}

func goldenFile(t *testing.T, path string, initial []byte) []byte {
	t.Helper()
	stored, err := os.ReadFile(path)
	if os.IsNotExist(err) && *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, initial, 0o644); err != nil {
			t.Fatal(err)
		}
		return initial
	}
	if err != nil {
		t.Fatalf("%v (a new event's file is written with -update-golden)", err)
	}
	return stored
}
