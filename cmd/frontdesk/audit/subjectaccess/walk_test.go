package subjectaccess_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/audit/auditing"
	"frontdesk/cmd/frontdesk/audit/subjectaccess"
	"frontdesk/domain"
	"frontdesk/domain/erasure"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/practice"
	"frontdesk/domain/request"
	"frontdesk/projections"
	"frontdesk/projections/directory"
)

// withheld are the texts of events about patients that no page has to show, and why.
var withheld = map[string]string{
	"request.Attachment.ContentType": "the type of a file, which is in the pack itself",
	"request.Attachment.Key":         "a key",
	"audit.Queried.Command":          "the words of the access name the reading",
	"audit.Queried.Filter":           "how an auditor searched, in events.json",
	"erasure.Key.Fingerprint":        "of a key that is destroyed",
	"event.Actor.ID":                 "shown as a name",
	"event.Actor.Machine":            "of an operator",
	"event.Actor.Mode":               "of an application",
	"event.Practitioner.Email":       "of the practitioner, who is another person",
	"event.Practitioner.GMCNumber":   "of the practitioner, who is another person",
	"event.Organisation.ODSCode":     "of an organisation",
	"event.OnBehalfOf.Role":          "of the practitioner, who is another person",
	"event.OnBehalfOf.Purpose":       "of an application",
	"event.Practitioner.Name":        "of the actor of an event, shown with accesses",
	"event.Organisation.Name":        "of the actor of an event, shown with accesses",
}

// text is a text that an event was filled with.
type text struct{ field, value string }

// filled fills every text of an event and returns them: each is unlike any other.
func filled(of event.Event, texts *[]text) event.Event {
	e := reflect.New(reflect.TypeOf(of)).Elem()
	fill(e, "", texts)
	return e.Interface().(event.Event)
}

func fill(v reflect.Value, field string, texts *[]text) {
	switch {
	case v.Type() == reflect.TypeFor[string]():
		v.SetString(fmt.Sprintf("text-%d-of-%s", len(*texts), field))
		*texts = append(*texts, text{field, v.String()})
	case v.Type() == reflect.TypeFor[request.Outcome]():
		v.SetString(string(request.Replied))
	case v.Type() == reflect.TypeFor[erasure.Basis]():
		v.SetString(string(erasure.CourtOrder))
	case v.Type() == reflect.TypeFor[uuid.UUID]():
		v.Set(reflect.ValueOf(event.NewID()))
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), field, texts)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), field, texts)
	case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]():
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				fill(v.Field(i), v.Type().String()+"."+f.Name, texts)
			}
		}
	}
}

// life is one event of each type about patients, with every text filled. Events of the request
// are in one stream, which begins with its submission, and so are those of the note.
func life(t *testing.T) (all []event.Recorded, texts []text) {
	t.Helper()
	asked, note := event.NewID(), event.NewID()
	for _, first := range []bool{true, false} {
		for _, e := range domain.Events() {
			_, about := e.(event.Patient)
			if _, sent := e.(request.Submitted); !about || sent != first {
				continue
			}
			stream := event.NewID()
			switch name := reflect.TypeOf(e).String(); {
			case strings.HasPrefix(name, "request."):
				stream = asked
			case strings.HasPrefix(name, "record.Note"):
				stream = note
			}
			all = append(all, event.Recorded{
				Event: filled(e, &texts), Idx: int64(len(all) + 1), ID: event.NewID(), Stream: event.Stream{Tenant: "elm", ID: stream},
				Version: 1, At: time.Date(2026, 7, 1, 9, len(all), 0, 0, time.UTC),
				Metadata: event.Metadata{Actor: event.Operator("frontdesk_app", "")},
			})
		}
	}
	if len(all) < 30 || len(texts) < 30 {
		t.Fatalf("%d events have %d texts", len(all), len(texts))
	}
	return all, texts
}

// packOf makes the pack of a life, and returns its files.
func packOf(t *testing.T, all []event.Recorded, information ...event.Event) map[string]string {
	t.Helper()
	pack := subjectaccess.Pack{
		Practice: projections.Practice{Tenant: "elm", Name: "Elm Street", Zone: time.UTC}, Patient: patient.ID{UUID: event.NewID()},
		Events: func(yield func(event.Recorded, error) bool) {
			for _, e := range all {
				if !yield(e, nil) {
					return
				}
			}
		},
		Accesses:   iter.Seq2[auditing.Access, error](func(func(auditing.Access, error) bool) {}),
		Directory:  directory.Names{DB: nameless{}},
		Texts:      event.Fold[practice.Information](information...),
		Deliveries: func(context.Context, []uuid.UUID) ([]webhooks.Logged, error) { return nil, nil },
		Shown:      func(e event.Recorded) (any, error) { return auditing.LoggedOf(e, true) },
		Content:    func(context.Context, io.Writer, request.AttachmentID) error { return nil },
	}
	survey, err := pack.Survey()
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := pack.Write(t.Context(), &file, survey); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range archive.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil {
			t.Fatal(err)
		}
		found[f.Name] = string(text)
	}
	return found
}

// nameless knows no names.
type nameless struct{ projections.Querier }

func (nameless) QueryRow(context.Context, string, ...any) pgx.Row { return noRow{} }

type noRow struct{}

func (noRow) Scan(...any) error { return pgx.ErrNoRows }

// Every text of every event about a patient is on the page and in the record for programs.
// A field of a new event fails this test until the pack shows it.
func TestPackHoldsEveryTextOfEveryEvent_D144(t *testing.T) {
	t.Parallel()
	all, texts := life(t)
	found := packOf(t, all)
	used := map[string]bool{}
	for _, text := range texts {
		if _, is := withheld[text.field]; is {
			used[text.field] = true
			continue
		}
		for _, name := range []string{"index.html", "care-record.json", "events.json"} {
			if !strings.Contains(found[name], text.value) {
				t.Errorf("%s of %s is not in %s: show it in cmd/frontdesk/audit/subjectaccess", text.field, text.value, name)
			}
		}
	}
	for field := range withheld {
		if !used[field] {
			t.Errorf("no event has the field %s, which need not be shown", field)
		}
	}
}

// A field that is tagged as personal data may be withheld only if it is a key, or of
// somebody else.
func TestOnlyForeignFieldsAreWithheld_D144(t *testing.T) {
	t.Parallel()
	for _, e := range domain.Events() {
		if _, about := e.(event.Patient); about {
			eachField(reflect.TypeOf(e), func(owner reflect.Type, f reflect.StructField) {
				tag, name := f.Tag.Get("personal"), owner.String()+"."+f.Name
				if (tag == "patient" || tag == "request") && f.Tag.Get("secret") == "" && withheld[name] != "" {
					t.Errorf("%s is the patient's, and withheld", name)
				}
			})
		}
	}
}

func eachField(of reflect.Type, do func(owner reflect.Type, f reflect.StructField)) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of == reflect.TypeFor[time.Time]() {
		return
	}
	for f := range of.Fields() {
		if f.IsExported() {
			do(of, f)
			eachField(f.Type, do)
		}
	}
}

// Every outcome and every basis is on the page in words.
func TestPackHasWordsForChoices_D144(t *testing.T) {
	t.Parallel()
	for _, outcome := range request.Outcomes() {
		e := event.Recorded{Event: request.Completed{Outcome: outcome}, Stream: event.Stream{ID: event.NewID()}}
		if page := packOf(t, []event.Recorded{e})["index.html"]; strings.Contains(page, `dir="auto"></dd>`) {
			t.Errorf("%s has no words", outcome)
		}
	}
	for _, basis := range erasure.Bases() {
		if basis.Words() == "" {
			t.Errorf("%s has no words", basis)
		}
	}
}

// The page, the letter and the record for programs hold the practice's text on each topic,
// and which version it is.
func TestPackInformsPatient_D144(t *testing.T) {
	t.Parallel()
	written := practice.InformationSet{Texts: map[practice.Topic]string{}}
	for _, topic := range practice.Topics() {
		written.Texts[topic] = "Our text on " + string(topic) + " for <you>"
	}
	born := event.Recorded{Event: patient.Registered{Name: "Ann <Archer>"}}
	found := packOf(t, []event.Recorded{born}, practice.InformationSet{}, written)
	byDefault := packOf(t, []event.Recorded{born})
	for _, topic := range practice.Topics() {
		for _, name := range []string{"index.html", "letter.html"} {
			if text := "Our text on " + string(topic) + " for &lt;you&gt;"; !strings.Contains(found[name], text) {
				t.Errorf("%s lacks %q", name, text)
			}
			if text := (practice.Information{}).Text(topic); !strings.Contains(byDefault[name], text) {
				t.Errorf("%s lacks the default text %q", name, text)
			}
		}
		for _, article := range []string{"15 (1) (a)", "15 (1) (d)", "15 (1) (e)", "15 (1) (f)", "15 (1) (h)", "15 (2)"} {
			if !strings.Contains(found["information.json"], `"article":"`+article+`"`) {
				t.Errorf("no text is on Article %s", article)
			}
		}
	}
	for _, text := range []string{"Version 2 of the practice’s texts", "Dear <bdi>Ann &lt;Archer&gt;</bdi>", "Elm Street"} {
		if !strings.Contains(found["letter.html"], text) {
			t.Errorf("the letter lacks %q", text)
		}
	}
	if !strings.Contains(found["information.json"], `"version":2`) || !strings.Contains(byDefault["letter.html"], "Default texts of the service") {
		t.Errorf("the version is missing: %s", found["information.json"])
	}
}
