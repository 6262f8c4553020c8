package body_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"frontdesk/adapters/admission"
	"frontdesk/adapters/httpapi/body"
)

// posted is a call with a body, and with headers in pairs.
func posted(text io.Reader, headers ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", text)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func TestInvalidFormStillYieldsPatient_D1(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"patientId":"` + annID + `"}`:                       annID,
		`{"patientId":"x","note":7}`:                          "x",
		`{"patientId":"` + annID + `","Note":""}`:             annID,
		`{"PatientId":"` + annID + `"}`:                       "",
		`{"patientId":["` + annID + `"]}`:                     "",
		`{"patientId":7}`:                                     "",
		`{}`:                                                  "",
		`["` + annID + `"]`:                                   "",
		`{"patientId":"` + annID + `"`:                        "",
		`{"patientId":"` + annID + `","x":"\ud800"}`:          "",
		`{"patientId":"` + annID + `","patientId":"x"}`:       "",
		`{"patientId":"` + annID + `"}` + annID + `"{`:        "",
		`{"x":"` + strings.Repeat("x", 5<<20) + `"}`:          "",
		`{"patientId":"` + annID + `","a":{"patientId":"b"}}`: annID,
	} {
		form, err := body.Read(posted(strings.NewReader(text)), body.Texts{}, "patientId", "note")
		if err != nil {
			t.Errorf("%.80s: %v", text, err)
		} else if got := form.PatientAsWritten(); got != want {
			t.Errorf("%.80s: the patient is %q, want %q", text, got, want)
		}
	}
}

func TestARefusalOfTheBodyWaitsInTheForm_D1(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		call *http.Request
		want error
	}{
		"another media type": {posted(strings.NewReader(`{}`), "Content-Type", "text/plain"), body.ErrMediaType},
		"too much JSON":      {posted(strings.NewReader(strings.Repeat(" ", 4<<20+1))), body.ErrTooLarge},
		"no JSON":            {posted(strings.NewReader(`{`)), body.ErrInvalid},
		"no object":          {posted(strings.NewReader(`[]`)), body.ErrInvalid},
	} {
		form, err := body.Read(test.call, body.Texts{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		form.Add(body.ErrMissingPatientID)
		if !errors.Is(form.Unread(), test.want) || !errors.Is(form.Err(), test.want) || errors.Is(form.Err(), body.ErrMissingPatientID) {
			t.Errorf("%s: %v, want %v alone", name, form.Err(), test.want)
		}
	}
}

// A body without files has the same limits as one with files, see TestTextsAreBounded.
func TestNoTextIsLongerThanAMebibyte_D19(t *testing.T) {
	t.Parallel()
	of := func(unit string, n int) string { return strings.Repeat(unit, n/len(unit)) }
	for name, test := range map[string]struct {
		text string
		want error
	}{
		"the longest":          {`{"note":"` + of("x", 1<<20) + `"}`, nil},
		"longer":               {`{"note":"` + of("x", 1<<20+1) + `"}`, body.ErrInvalid},
		"longer by an escape":  {`{"note":"` + of(`\"`, 1<<20) + `\\"}`, body.ErrInvalid},
		"longer at the end":    {`{"note":"` + of(`\"`, 1000) + of("x", 1<<20-999) + `"}`, body.ErrInvalid},
		"quotes inside":        {`{"note":"` + of(`\"`, 1<<20) + `"}`, nil},
		"in an unknown member": {`{"x":[{"y":"` + of("é", 1<<20+2) + `"}]}`, body.ErrInvalid},
		"a name":               {`{"` + of("x", 1<<20+1) + `":1}`, body.ErrInvalid},
	} {
		form, err := body.Read(posted(strings.NewReader(test.text)), body.Texts{}, "note")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		form.Text("note")
		if !errors.Is(form.Err(), test.want) {
			t.Errorf("%s: %v, want %v", name, form.Err(), test.want)
		}
	}
}

func TestTroubleOfOursIsNoRefusal(t *testing.T) {
	t.Parallel()
	away := errors.New("the connection is away")
	long := `"` + strings.Repeat("x", 70<<10) + `"`
	taken := admission.NewFairSemaphore(1)
	taken.Permit("another").Take()
	if _, err := body.Read(posted(strings.NewReader(long)), body.Texts{Long: taken.Permit("one")}); !errors.Is(err, body.ErrBusy) {
		t.Errorf("without a free slot: %v", err)
	}
	if _, err := body.Read(posted(io.MultiReader(strings.NewReader(`{`), failing{away})), body.Texts{}); !errors.Is(err, away) {
		t.Errorf("a broken connection: %v", err)
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// All permits are taken, so it is not the caller's share.
func TestFormWithoutPermitGetsReason(t *testing.T) {
	t.Parallel()
	permits := admission.NewFairSemaphore(2)
	first, second, third := permits.Permit("one"), permits.Permit("other"), permits.Permit("one")
	for _, permit := range []*admission.Permit{first, first, second, nil} {
		if err := body.Take(permit); err != nil {
			t.Fatal(err)
		}
	}
	if err := body.Take(third); err != body.ErrBusy { //nolint:errorlint // the two refusals have one code
		t.Errorf("no permit is free: %v", err)
	}
	second.Release()
	if err := body.Take(third); err != nil {
		t.Errorf("a permit was given back: %v", err)
	}
	crowd := admission.NewFairSemaphore(3)
	for range 2 {
		if err := body.Take(crowd.Permit("one")); err != nil {
			t.Fatal(err)
		}
	}
	if err := body.Take(crowd.Permit("one")); err != body.ErrShare { //nolint:errorlint // the two refusals have one code
		t.Errorf("the caller has its share: %v", err)
	}
}

// The standard library reads each accepted text as the same values, so that no later
// reader can understand it differently.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":1,"b":[true,false,null,{}],"c":"\ud83d\ude00\/é"}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":"\u0000"}`, `{"a":"\ud800"}`, "\ufeff{}",
		`[01]`, `[1e999]`, `[-0]`, `[1.]`, `[+1]`, `[NaN]`, `[0x1]`, `{"a":1,}`, `{} {}`, `{"a":"\xff"}`, "{\"a\":\"\xff\"}", "{\"a\":\"\t\"}", `[[[[[[]]]]]]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := body.ReadJSON(strings.NewReader(text))
		if err != nil {
			if !errors.Is(err, body.ErrInvalid) && !errors.Is(err, body.ErrTooLarge) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil || !utf8.ValidString(text) || fmt.Sprintf("%q", tree) != fmt.Sprintf("%q", want) {
			t.Errorf("%q is %q, and encoding/json reads %q, %v", text, tree, want, err)
		}
	})
}
