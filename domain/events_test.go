package domain_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"frontdesk/domain"
	"frontdesk/domain/event"
)

func TestEveryEventHasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	if _, err := event.NewCodec(domain.Events()...); err != nil {
		t.Fatal(err)
	}
	for _, e := range domain.Events() {
		if !strings.HasSuffix(e.EventName(), ".v1") {
			t.Errorf("%T: the name %q has no version", e, e.EventName())
		}
	}
}

func TestEveryEventHasAGoldenFile(t *testing.T) {
	t.Parallel()
	for _, e := range domain.Events() {
		files, err := filepath.Glob(filepath.Join("*", "testdata", e.EventName()+".json"))
		if err != nil || len(files) != 1 {
			t.Errorf("%s: golden files %v, error %v", e.EventName(), files, err)
		}
	}
}

func TestEveryGoldenFileHasAnEvent(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, e := range domain.Events() {
		known[e.EventName()+".json"] = true
	}
	files, err := filepath.Glob(filepath.Join("*", "testdata", "*.json"))
	more, _ := filepath.Glob(filepath.Join("*", "testdata", "*", "*.json"))
	files = append(files, more...)
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, error %v", files, err)
	}
	for _, file := range files {
		if !known[filepath.Base(file)] {
			t.Errorf("%s: no program could read this event any more", file)
		}
	}
}

// An event that names a patient must say so to the store, or an auditor's
// question about that patient would miss it.
func TestEveryEventAboutAPatientSaysSo_D37(t *testing.T) {
	t.Parallel()
	for _, e := range domain.Events() {
		field, has := reflect.TypeOf(e).FieldByName("Patient")
		if !has {
			continue
		}
		about, says := e.(event.Patient)
		if !says {
			t.Errorf("%T has a %s and does not implement event.Patient", e, field.Type)
			continue
		}
		if about.PatientID() != [16]byte{} {
			t.Errorf("%T: PatientID is not its field", e)
		}
	}
}
