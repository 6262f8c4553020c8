package httpapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/access"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
)

func TestARequestNamesItsFiles_4_1(t *testing.T) {
	t.Parallel()
	c := &counter{caller: asApplication}
	small, large := httpapitest.Noise(1, 1000), httpapitest.Noise(2, 3<<20)
	answer := c.post(t, cough(jpeg("small.jpg", small), jpeg("large.jpg", large)))

	wantAnswer(t, answer, http.StatusOK)
	if len(c.taken) != 1 || len(c.taken[0].Attachments) != 2 {
		t.Fatalf("taken %+v", c.taken)
	}
	if want := `{"patientRequestId":"` + c.taken[0].id.String() + `"}` + "\n"; answer.Body.String() != want {
		t.Errorf("answered %s", answer.Body)
	}
	for i, want := range [][]byte{small, large} {
		a := c.taken[0].Attachments[i]
		kept, err := c.Opened(a.ID, a.Key)
		if a.Size != int64(len(want)) || a.SHA256 != sha256.Sum256(c.File(a.ID)) || !bytes.Equal(kept, want) || err != nil {
			t.Errorf("attachment %d is %+v", i, a)
		}
	}
	if len(c.Discarded) != 2 {
		t.Error("what no request names is not asked for")
	}
}

func TestRefusedFilesAreForgotten(t *testing.T) {
	t.Parallel()
	file := jpeg("x.jpg", httpapitest.Noise(1, 1000))
	for name, test := range map[string]struct {
		counter *counter
		body    string
		status  int
		codes   []string
	}{
		"a fault of the body": {&counter{}, strings.Replace(cough(file), "medical", "x", 1), 400, []string{"invalid-request-type"}},
		"a body that is cut":  {&counter{}, cough(file)[:len(cough(file))-1], 400, []string{"invalid-request-body"}},
		"a practice that is closed": {&counter{refuses: fault.New(fault.Refused, "request-type-closed", "")}, cough(file), 400,
			[]string{"request-type-closed"}},
		"a patient out of scope": {
			&counter{caller: asUserForAnn}, strings.Replace(cough(file), annID, billID, 1), 403,
			[]string{"patient-not-authorised"}},
		"a database that has gone": {&counter{Shelf: httpapitest.Shelf{Fails: fault.New(fault.Unavailable, "unavailable", "")}},
			cough(jpeg("x.jpg", httpapitest.Noise(1, 300_000))), 503, []string{"unavailable"}},
		"a bug of ours": {&counter{refuses: errors.New("oops")}, cough(file), 500, []string{"internal-error"}},
	} {
		c := test.counter
		if c.caller.Mode == "" {
			c.caller = asApplication
		}
		wantAnswer(t, c.post(t, test.body), test.status, test.codes...)
		if len(c.Discarded) != 1 || len(c.taken) > 0 {
			t.Errorf("%s: discarded %v, taken %v", name, c.Discarded, c.taken)
		}
	}
}

func TestLargeAttachmentsAreValidated_D21(t *testing.T) {
	t.Parallel()
	large := base64.StdEncoding.EncodeToString(httpapitest.Noise(3, 2<<20))
	file := func(contentType, data string) string {
		return fmt.Sprintf(`{"fileName":"x","contentType":%q,"data":%q}`, contentType, data)
	}
	for name, test := range map[string]struct {
		files []string
		codes []string
	}{
		"the largest": {[]string{file("image/png", base64.StdEncoding.EncodeToString(make([]byte, 10<<20)))}, nil},
		"too large":   {[]string{file("image/png", base64.StdEncoding.EncodeToString(make([]byte, 10<<20+1)))}, []string{"attachment-too-large"}},
		"large, no base64, of a wrong type": {
			[]string{file("x", large+"!")}, []string{"invalid-attachment-content"}},
		"small, no base64, of a wrong type": {[]string{file("x", "!")}, []string{"invalid-attachment-content"}},
		"large, of a wrong type":            {[]string{file("x", large)}, []string{"unsupported-file-type"}},
		"small, of a wrong type":            {[]string{file("x", "YWJj")}, []string{"unsupported-file-type"}},
		"too many, one of them bad": {
			[]string{file("image/png", "YQ=="), file("image/png", "YQ=="), file("image/png", "YQ=="), file("image/png", "YQ=="),
				file("image/png", "YQ=="), file("image/png", "YQ"), file("x", "YQ==")},
			[]string{"too-many-attachments", "invalid-attachment-content", "unsupported-file-type"}},
		"no name, for which there is no code": {[]string{`{"contentType":"x","data":"` + large + `"}`}, []string{"invalid-request-body"}},
	} {
		c := &counter{caller: asApplication}
		status := http.StatusBadRequest
		if test.codes == nil {
			status = http.StatusOK
		}
		t.Log(name)
		wantAnswer(t, c.post(t, cough(test.files...)), status, test.codes...)
	}
}

func TestBodyTypeAndSize_D19(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body    string
		headers []string
		status  int
		codes   []string
	}{
		"no media type":        {cough(), nil, 200, nil},
		"ours":                 {cough(), []string{"Content-Type", "application/json"}, 200, nil},
		"ours, with more":      {cough(), []string{"Content-Type", "application/json; charset=latin1; x"}, 200, nil},
		"another":              {cough(), []string{"Content-Type", "text/json"}, 415, []string{"unsupported-media-type"}},
		"two":                  {cough(), []string{"Content-Type", "application/json", "Content-Type", "application/json"}, 415, []string{"unsupported-media-type"}},
		"spaces":               {" \n" + cough() + strings.Repeat(" ", 3<<20), nil, 200, nil},
		"a text beyond 1 MiB":  {`{"x":"` + strings.Repeat("x", 1<<20+1) + `"}`, nil, 400, []string{"invalid-request-body"}},
		"more than 4 MiB JSON": {cough() + strings.Repeat(" ", 4<<20), nil, 413, []string{"request-too-large"}},
		"nothing":              {"", nil, 400, []string{"invalid-request-body"}},
		"a name twice":         {`{"x":1,"x":2}`, nil, 400, []string{"invalid-request-body"}},
		"any Accept":           {cough(), []string{"Accept", "text/html"}, 200, nil},
	} {
		c := &counter{caller: asApplication}
		answer := c.post(t, test.body, test.headers...)
		t.Log(name)
		wantAnswer(t, answer, test.status, test.codes...)
		if answer.Header().Get("X-Request-Id") == "" {
			t.Errorf("%s: the answer has no X-Request-Id", name)
		}
	}
}

// forever is a body with a prefix and no end.
type forever struct{ io.Reader }

func (f forever) Read(p []byte) (int, error) {
	if n, err := f.Reader.Read(p); err == nil {
		return n, nil
	}
	for i := range p {
		p[i] = 'A'
	}
	return len(p), nil
}

func TestABodyHas100MiBAtMost_D19(t *testing.T) {
	t.Parallel()
	for _, declared := range []int64{-1, 100<<20 + 1} {
		c := &counter{caller: asApplication}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/transactional-api/create-patient-request",
			forever{strings.NewReader(`{"attachments":[{"data":"`)})
		r.ContentLength = declared
		answer := httptest.NewRecorder()
		func() {
			defer func() { _ = recover() }() // the connection is closed, because the body does not end
			c.api().Handler().ServeHTTP(answer, r)
		}()
		wantAnswer(t, answer, http.StatusRequestEntityTooLarge, "request-too-large")
		if declared > 0 && c.Stored() > 0 {
			t.Error("a body that is declared to be too large was read")
		}
	}
}

func TestIdempotencyKeyBindsBodyAndCaller_D22(t *testing.T) {
	t.Parallel()
	c := &counter{caller: asApplication}
	body := cough(jpeg("x.jpg", httpapitest.Noise(1, 300_000))) + " \n"
	caller := asApplication
	caller.Endpoint.Name = access.CreatePatientRequest
	for _, key := range []string{"k", strings.Repeat("k", 255), "k l", "\xff"} {
		wantAnswer(t, c.post(t, body, "Idempotency-Key", key), http.StatusOK)
		want := caller.Idempotency(key, sha256.Sum256([]byte(body)))
		got := c.taken[len(c.taken)-1].idempotency
		if got.Answer = ""; got != want {
			t.Errorf("%q: the command was given %+v, want %+v", key, got, want)
		}
	}
	wantAnswer(t, c.post(t, body), http.StatusOK)
	if got := c.taken[len(c.taken)-1].idempotency; got != (event.Idempotency{}) {
		t.Errorf("without a key: %+v", got)
	}
	for _, keys := range [][]string{{""}, {strings.Repeat("k", 256)}, {"k", "k"}} {
		var headers []string
		for _, key := range keys {
			headers = append(headers, "Idempotency-Key", key)
		}
		wantAnswer(t, c.post(t, body, headers...), http.StatusBadRequest, "invalid-idempotency-key")
	}
}

func TestScopeIsCheckedBeforeKey_D1(t *testing.T) {
	t.Parallel()
	c := &counter{caller: asUserForAnn}
	wantAnswer(t, c.post(t, strings.Replace(cough(), annID, billID, 1), "Idempotency-Key", ""), http.StatusForbidden, "patient-not-authorised")
	wantAnswer(t, c.post(t, cough(), "Idempotency-Key", ""), http.StatusBadRequest, "invalid-idempotency-key")
}

// Whatever the body, the answer is one of the contract.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		cough(), cough(jpeg("x.jpg", []byte("abc"))), cough(`{"fileName":"x","contentType":"image/png","data":"\/\u002B=="}`),
		cough(`{}`, `{}`, `{}`, `{}`, `{}`, `{}`), `{"attachments":[{"data":"a","data":"b"}]}`, `{"patientId":7,"response":[7]}`, "[]", `"`,
	} {
		f.Add(seed, "", true)
		f.Add(seed, "k", false)
	}
	f.Fuzz(func(t *testing.T, body, key string, scoped bool) {
		c := &counter{caller: asApplication}
		if scoped {
			c.caller = asUserForAnn
		}
		answer := c.post(t, body, "Idempotency-Key", key)
		switch answer.Code {
		case http.StatusOK, http.StatusBadRequest, http.StatusForbidden, http.StatusRequestEntityTooLarge:
		default:
			t.Errorf("answered %d %s", answer.Code, answer.Body)
		}
		if !json.Valid(answer.Body.Bytes()) || answer.Code == http.StatusOK != (len(c.taken) == 1) {
			t.Errorf("answered %d %s, and took %d", answer.Code, answer.Body, len(c.taken))
		}
	})
}
