package pagekit

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/adapters/clock"
	"frontdesk/domain/fault"
)

// Limits of a form. Forms with longer texts set their own, see [Methods.WithText].
const (
	formBytes = 64 << 10
	formTime  = 2 * time.Second

	// characterBytes is the maximum size of one character: four bytes of UTF-8, each
	// written as %F0.
	characterBytes = 4 * len("%F0")
)

// readForm reads the query of a GET or the body of a POST, never both, so that a page
// has one source of values. The body may have up to most bytes.
func (s *Site) readForm(r *Request, most int) error {
	if r.HTTP.Method == http.MethodPost {
		if err := s.receive(r, most); err != nil {
			return err
		}
	}
	if err := r.HTTP.ParseForm(); err != nil {
		return ErrUnreadable
	}
	r.Form = r.HTTP.Form
	if r.HTTP.Method == http.MethodPost {
		r.Form = r.HTTP.PostForm //nolint:forbidigo // the field, not the function of that name
		r.Carried = Carried{r.Form.Get("whose"), r.Form.Get("typed")}
		r.again = r.Form.Has("again") // a hidden page
	}
	r.Ask = parseAsk(r.Form, path.Base(r.HTTP.URL.Path))
	return nil
}

// receive reads the whole body of a form before it takes anything that others need. A
// form that never arrives holds its connection, and a permit of its source's share.
func (s *Site) receive(r *Request, most int) error {
	if err := r.acquire(s.permits.forms); err != nil {
		return err
	}
	defer r.Release()
	whole, err := r.receive(nil, formBytes)
	if errors.Is(err, ErrTooLong) && most > formBytes {
		whole, err = s.receiveRest(r, whole, most)
	}
	if err != nil {
		return err
	}
	r.HTTP.Body = io.NopCloser(bytes.NewReader(whole))
	return nil
}

// receiveRest reads the rest of a long form, at the same pace as its beginning. It
// reads nothing from a browser without a session, which is refused or sent to sign in,
// unless the form is one that a page of ours made for a member (D151).
func (s *Site) receiveRest(r *Request, begun []byte, most int) ([]byte, error) {
	if !s.isMembers(r, begun) {
		if err := s.findSession(r); err != nil {
			return nil, err
		}
		if !r.SignedIn && r.public {
			return nil, ErrTooLong
		}
		if !r.SignedIn {
			return nil, nil
		}
	}
	if err := r.acquire(s.permits.forms); err != nil {
		return nil, err
	}
	r.setReadDeadline(clock.Deadline(formTime * time.Duration(most-formBytes) / formBytes))
	return r.receive(begun, most)
}

// isMembers reports whether the first field of a form names its member.
func (s *Site) isMembers(r *Request, begun []byte) bool {
	first, _, _ := bytes.Cut(begun, []byte("&"))
	fields, err := url.ParseQuery(string(first))
	_, ok := s.Typed.owner(r.Tenant, cmp.Or(fields.Get("token"), fields.Get("whose")))
	return err == nil && ok
}

// receive reads the body after its beginning, up to most bytes in all. With
// [ErrTooLong] it returns one byte more.
func (r *Request) receive(begun []byte, most int) ([]byte, error) {
	rest, err := io.ReadAll(io.LimitReader(r.HTTP.Body, int64(most+1-len(begun))))
	whole := slices.Concat(begun, rest)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, ErrLate
	case err != nil:
		return nil, ErrUnreadable
	case len(whole) > most:
		return whole, ErrTooLong
	}
	r.setReadDeadline(time.Time{}) // otherwise it would end the request
	return whole, nil
}

// bodyWithin sets a deadline for the body, also for one that the page does not read:
// before the server answers, it reads the rest.
func (r *Request) bodyWithin(limit time.Duration) {
	if r.HTTP.Body != http.NoBody {
		r.setReadDeadline(clock.Deadline(limit))
	}
}

// setReadDeadline ignores its error, which means that the connection has no deadlines.
func (r *Request) setReadDeadline(at time.Time) {
	_ = http.NewResponseController(r.w).SetReadDeadline(at)
}

// FormText is the value of a field of several lines. Browsers send two characters for a
// line break, which counts as one.
func (r *Request) FormText(field string) string {
	return strings.ReplaceAll(r.Form.Get(field), "\r\n", "\n")
}

// TooLong describes by how much a text is too long, without surrounding space; "" if it
// is not. It counts characters as the domain does.
func TooLong(text string, most int) string {
	has := utf8.RuneCountInString(strings.TrimSpace(text))
	if has <= most {
		return ""
	}
	return "Shorten this to at most " + Counted(most, "character") + ". It has " + Number(has) + "."
}

// FieldFault is a fault of a field.
type FieldFault struct{ Field, Text string }

// FormErrors holds the faults of a submitted form.
type FormErrors struct{ Faults []FieldFault }

// FormError returns the fault of one field.
func FormError(field, text string) FormErrors { return FormErrors{[]FieldFault{{field, text}}} }

// With adds a fault.
func (f FormErrors) With(field, text string) FormErrors {
	return FormErrors{append(f.Faults, FieldFault{field, text})}
}

// FormErrorsOf returns a rule's refusal as the fault of a field; false for any other error.
func FormErrorsOf(err error, field string) (wrong FormErrors, ok bool) {
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind == fault.Unavailable {
		return wrong, false
	}
	return FormError(field, refusal.Detail), true
}

// Fault returns the fault of a field; "" without one.
func (f FormErrors) Fault(field string) string {
	for _, fault := range f.Faults {
		if fault.Field == field {
			return fault.Text
		}
	}
	return ""
}

// PageTitle returns the title of the page, marked if there are faults.
func (f FormErrors) PageTitle(title string) string {
	if len(f.Faults) > 0 {
		return "Error: " + title
	}
	return title
}

// Field is one line of text in a form. Its name is its ID.
type Field struct {
	ID, Label, Hint string
	Kind            string // of the input: text, password or email
	Optional        bool   // it may be left empty
	Value           string
	Fill            string // the autocomplete attribute
	Fault           string
	First           bool // the cursor begins here
}

// Password is a field for a password, which no page shows again.
func (f FormErrors) Password(id, label, hint, fill string) Field {
	return Field{ID: id, Label: label, Hint: hint, Kind: "password", Fill: fill, Fault: f.Fault(id)}
}

// Option is one option of a choice.
type Option struct {
	Value, Name string
	Chosen      bool
}

// Choice is a field with one choice of several. Its name is its ID.
type Choice struct {
	ID, Label string
	None      string // the text while nothing is chosen
	Options   []Option
	Fault     string
}

// Area is a field for several lines of text. Its name is its ID.
type Area struct{ ID, Label, Hint, Value, Fault string }
