package frame

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path"
	"time"
)

// Bounds of a form that is sent.
const (
	formBytes = 64 << 10
	formTime  = 2 * time.Second
)

// readForm reads the query of a GET and the body of a POST, never both, so that
// a page has one place to look at.
func (s *Site) readForm(v *Visit) error {
	if v.R.Method == http.MethodPost {
		if err := s.receive(v); err != nil {
			return err
		}
	}
	if err := v.R.ParseForm(); err != nil {
		return ErrUnreadable
	}
	v.Form = v.R.Form
	if v.R.Method == http.MethodPost {
		v.Form = v.R.PostForm //nolint:forbidigo // the field, not the function of that name
	}
	v.Ask = askOf(v.Form, path.Base(v.R.URL.Path))
	return nil
}

// receive reads the whole body of a form before anything that others need is taken.
// A form that never comes holds its connection, and its source's share of such seats.
func (s *Site) receive(v *Visit) error {
	if err := v.sit(s.seats.forms); err != nil {
		return err
	}
	defer v.Leave()
	whole, err := io.ReadAll(http.MaxBytesReader(v.w, v.R.Body, formBytes))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrLate
	case err != nil:
		return ErrUnreadable
	}
	v.setReadDeadline(time.Time{}) // otherwise it would end the visit
	v.R.Body = io.NopCloser(bytes.NewReader(whole))
	return nil
}

// bodyWithin ends the wait for a body, also for one that nobody reads: before the
// server answers, it reads what is left.
func (v *Visit) bodyWithin(limit time.Duration) {
	if v.R.Body != http.NoBody {
		v.setReadDeadline(time.Now().Add(limit))
	}
}

// setReadDeadline ignores its error, which means that the connection has no deadlines.
func (v *Visit) setReadDeadline(at time.Time) {
	_ = http.NewResponseController(v.w).SetReadDeadline(at)
}

// FieldFault says what is wrong with a field.
type FieldFault struct{ Field, Text string }

// Faulty is a page that may say what is wrong with the form that was sent.
type Faulty struct{ Faults []FieldFault }

// Wrong is a page on which one field is wrong.
func Wrong(field, text string) Faulty { return Faulty{[]FieldFault{{field, text}}} }

// With is the page with one fault more.
func (f Faulty) With(field, text string) Faulty {
	return Faulty{append(f.Faults, FieldFault{field, text})}
}

// Fault returns what is wrong with a field; "" if nothing is.
func (f Faulty) Fault(field string) string {
	for _, fault := range f.Faults {
		if fault.Field == field {
			return fault.Text
		}
	}
	return ""
}

// Titled is the title of the page.
func (f Faulty) Titled(title string) string {
	if len(f.Faults) > 0 {
		return "Error: " + title
	}
	return title
}

// Field is one line of text that a form asks for. Its name is its ID.
type Field struct {
	ID, Label, Hint string
	Kind            string // of the input: text, password, email, date or time
	Optional        bool   // it may be left empty
	Value           string
	Fill            string // what browsers may fill in (autocomplete)
	Fault           string
}

// Password is a field for a password, which no page shows again.
func (f Faulty) Password(id, label, hint, fill string) Field {
	return Field{ID: id, Label: label, Hint: hint, Kind: "password", Fill: fill, Fault: f.Fault(id)}
}

// Option is one of several that can be chosen.
type Option struct {
	Value, Name string
	Chosen      bool
}

// Choice is a field by which one of several is chosen. Its name is its ID.
type Choice struct {
	ID, Label string
	None      string // what is shown while nothing is chosen
	Options   []Option
	Fault     string
}

// Area is a field for several lines of text. Its name is its ID.
type Area struct{ ID, Label, Hint, Value, Fault string }

// SignedInAgain is said of a form of a session that is over, if what was typed stays.
const SignedInAgain = "This page is out of date, because you have signed in again since you opened it. Nothing has been changed. What you typed is still here: send it again."
