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
	known := map[string]bool{"vectors.json": true} // of package proof, which has no events
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

// An event that names a patient must implement [event.Patient], or an auditor's query
// for that patient would miss it.
func TestPatientEventsNameTheirPatient_D37(t *testing.T) {
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

func TestPersonalEventsHaveStoredRows_D68(t *testing.T) {
	t.Parallel()
	for _, e := range goldenEvents(t) {
		files, err := filepath.Glob(filepath.Join("*", "testdata", "stored", e.EventName()+".json"))
		if has := !reflect.DeepEqual(e, event.Hide(e)); err != nil || has != (len(files) == 1) {
			t.Errorf("%s: personal %t, rows %v, error %v", e.EventName(), has, files, err)
		}
	}
}

// Every personal field is a text, so that a placeholder fits.
func TestPersonalFieldsAreTexts_D68(t *testing.T) {
	t.Parallel()
	for _, e := range append(domain.Events(), event.Event(metadata{})) {
		typ := reflect.TypeOf(e)
		if found, texts := personalFields(typ), personalTexts(typ); found != texts {
			t.Errorf("%s: %d of its %d personal fields are texts", typ, texts, found)
		}
	}
}

// metadata is an event's, for a test of events.
type metadata struct{ event.Metadata }

func (metadata) EventName() string { return "" }

func personalFields(typ reflect.Type) int {
	return countFields(typ, func(reflect.Type) bool { return true })
}

func personalTexts(typ reflect.Type) int {
	return countFields(typ, func(field reflect.Type) bool { return field.Kind() == reflect.String })
}

// countFields counts the personal fields of certain types, at any depth.
func countFields(typ reflect.Type, counts func(reflect.Type) bool) (n int) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return 0
	}
	for field := range typ.Fields() {
		switch {
		case field.Tag.Get("personal") == "":
			n += countFields(field.Type, counts)
		case counts(field.Type):
			n++
		}
	}
	return n
}
