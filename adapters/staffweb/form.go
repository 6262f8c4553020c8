package staffweb

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
func (p *Pages) readForm(v *visit) error {
	if v.r.Method == http.MethodPost {
		if err := p.receive(v); err != nil {
			return err
		}
	}
	if err := v.r.ParseForm(); err != nil {
		return errUnreadable
	}
	v.form = v.r.Form
	if v.r.Method == http.MethodPost {
		v.form = v.r.PostForm //nolint:forbidigo // the field, not the function of that name
	}
	v.ask = askOf(v.form, path.Base(v.r.URL.Path))
	return nil
}

// receive reads the whole body of a form before anything that others need is taken.
// A form that never comes holds its connection, and its source's share of such seats.
func (p *Pages) receive(v *visit) error {
	if err := v.sit(p.seats.forms); err != nil {
		return err
	}
	defer v.leave()
	whole, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, formBytes))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errLate
	case err != nil:
		return errUnreadable
	}
	v.setReadDeadline(time.Time{}) // otherwise it would end the visit
	v.r.Body = io.NopCloser(bytes.NewReader(whole))
	return nil
}

// bodyWithin ends the wait for a body, also for one that nobody reads: before the
// server answers, it reads what is left.
func (v *visit) bodyWithin(limit time.Duration) {
	if v.r.Body != http.NoBody {
		v.setReadDeadline(time.Now().Add(limit))
	}
}

// setReadDeadline ignores its error, which means that the connection has no deadlines.
func (v *visit) setReadDeadline(at time.Time) {
	_ = http.NewResponseController(v.w).SetReadDeadline(at)
}

// fieldFault says what is wrong with a field.
type fieldFault struct{ Field, Text string }

// faulty is a page that may say what is wrong with the form that was sent.
type faulty struct{ Faults []fieldFault }

// with is the page with one fault more.
func (f faulty) with(field, text string) faulty {
	return faulty{append(f.Faults, fieldFault{field, text})}
}

// Fault returns what is wrong with a field; "" if nothing is.
func (f faulty) Fault(field string) string {
	for _, fault := range f.Faults {
		if fault.Field == field {
			return fault.Text
		}
	}
	return ""
}

// title is the title of the page.
func (f faulty) title(title string) string {
	if len(f.Faults) > 0 {
		return "Error: " + title
	}
	return title
}

// field is one line of text that a form asks for. Its name is its ID.
type field struct {
	ID, Label, Hint string
	Kind            string // of the input: text, password or email
	Value           string
	Fill            string // what browsers may fill in (autocomplete)
	Fault           string
}

// password is a field for a password, which no page shows again.
func (f faulty) password(id, label, hint, fill string) field {
	return field{ID: id, Label: label, Hint: hint, Kind: "password", Fill: fill, Fault: f.Fault(id)}
}
