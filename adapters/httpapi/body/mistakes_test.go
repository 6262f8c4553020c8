package body_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/fault"
)

// secret is user input that no refusal may repeat.
const secret = "Mrs Brown has a cough"

// whole is a patient request in which one part is replaced; file is the data of an
// attachment that comes before the part.
func whole(part, file string) string {
	return `{"attachments":[{"data":"` + file + `"}],"response":[{"question":"` + secret + `","answer":` + part + `}]}`
}

// refusalText returns the refusal of a body.
func refusalText(t *testing.T, text string) string {
	t.Helper()
	files := &body.Files{Tenant: "elm-street", Uploads: &httpapitest.Shelf{}}
	form, err := files.Read(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	_, err = form.PatientRequest(form.Patient())
	if refusals, several := errors.AsType[fault.List](err); several {
		return refusals.Error()
	}
	refusal, _ := errors.AsType[*fault.Error](err)
	return refusal.Error()
}

// Bytes are counted as sent, although the files are removed before the JSON is read.
func TestBodyFaultNamesByteAndKind_D92(t *testing.T) {
	t.Parallel()
	long := base64.StdEncoding.EncodeToString(httpapitest.Noise(7, 90_000))
	for _, test := range []struct {
		part string
		at   int // bytes of the part before the mistake
		kind string
	}{
		{`"a",,`, 4, "a comma has nothing before it or behind it"},
		{`"a",`, 3, "a comma has nothing before it or behind it"},
		{`"a" "b"`, 4, "a comma or a closing bracket is missing"},
		{`'a'`, 0, "strings must have double quotes"},
		{"\"a\nb\"", 2, "a line break or another control character in a string must be escaped"},
		{"\"a\xff\"", 2, "the text is not UTF-8"},
		{`"a\ud83d"`, 2, `an escape \u stands for half a character`},
		{`"a\x"`, 2, "a backslash begins no escape that JSON knows"},
		{`"a","answer":"b"`, 4, "an object has the name answer twice"},
		{`"a","` + secret + `":1,"` + secret + `":2`, 30, "an object has a name twice"},
		{`NaN`, 0, "no JSON value begins here"},
	} {
		for _, file := range []string{"", "YWJj", `YW\/j`, long} {
			text := whole(test.part, file)
			want := fmt.Sprintf(": after %d bytes, %s.", strings.Index(text, `"answer":`)+len(`"answer":`)+test.at, test.kind)
			got := refusalText(t, text)
			if !strings.HasPrefix(got, "invalid-request-body: The body is not JSON") || !strings.HasSuffix(got, want) {
				t.Errorf("%s after a file of %d: %s, want %s", test.part, len(file), got, want)
			}
			if strings.Contains(got, secret) {
				t.Errorf("%s: repeats what was typed: %s", test.part, got)
			}
		}
	}
}

func TestBodyWithoutObjectNamesReason_D92(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "The body is empty: it must be a JSON object.",
		"\n":                           "The body is empty: it must be a JSON object.",
		"\ufeff{}":                     "The body is not JSON: at the very beginning, a byte order mark must not be sent.",
		secret:                         "The body is not JSON: at the very beginning, no JSON value begins here.",
		"[]":                           "The body must be a JSON object.",
		`{"patientId":"x"`:             "The body is not JSON: after 16 bytes, the text ends too early.",
		"{} " + secret:                 "Nothing may follow the JSON object, which ends after 2 bytes.",
		"{}{}":                         "Nothing may follow the JSON object, which ends after 2 bytes.",
		attachment("YWJj") + "}":       "Nothing may follow the JSON object, which ends after 33 bytes.",
		attachment("YWJj\n"):           "The body is not JSON: after 29 bytes, a line break or another control character in a string must be escaped.",
		attachment("YWJj\xff"):         "The body is not JSON: after 29 bytes, the text is not UTF-8.",
		attachment(`YWJj\x`):           "The body is not JSON: after 30 bytes, a backslash begins no escape that JSON knows.",
		attachment(`\ud83d`):           `The body is not JSON: after 31 bytes, an escape \u stands for half a character.`,
		attachment("YWJj")[:26]:        "The body is not JSON: the text ends too early.",
		attachment(`a\u0000`):          "A text must not contain U+0000.",
		`{"x":"a\u0000"}`:              "A text must not contain U+0000.",
		`{"x":[{"data":{},"data":1}]}`: "The body is not JSON that all readers understand alike: after 17 bytes, an object has the name data twice.",
	} {
		if got := refusalText(t, text); got != "invalid-request-body: "+want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestBadBase64NamesReason_D92(t *testing.T) {
	t.Parallel()
	long := base64.StdEncoding.EncodeToString(httpapitest.Noise(8, 90_000)) // 120,000 characters without padding
	for data, want := range map[string]string{
		`null`:                         "attachments[0].data must be given: the file as a string of base64.",
		`7`:                            "attachments[0].data must be given: the file as a string of base64.",
		`""`:                           "attachments[0].data is empty: it must be the file as base64.",
		`"data:image/png;base64,YWJj"`: "attachments[0].data starts with data: and so is a data URL. Send only what comes after its comma.",
		`"d\u0061ta:,"`:                "attachments[0].data starts with data: and so is a data URL. Send only what comes after its comma.",
		`"YWJ-YWJj"`:                   "attachments[0].data is base64url: after 3 characters it has - or _ where base64 has + or /.",
		`"` + long + `_"`:              "attachments[0].data is base64url: after 120000 characters it has - or _ where base64 has + or /.",
		`"YWJj\nYWJj"`:                 "attachments[0].data has a space or a line break after 4 characters: send base64 without them.",
		`"` + long + `\r\n"`:           "attachments[0].data has a space or a line break after 120000 characters: send base64 without them.",
		`" YWJj"`:                      "attachments[0].data has a space or a line break after 0 characters: send base64 without them.",
		`"YQ"`:                         "attachments[0].data is padded wrongly after 2 characters: base64 comes in groups of four, the last filled up with = and nothing after it.",
		`"YQ==YQ=="`:                   "attachments[0].data is padded wrongly after 4 characters: base64 comes in groups of four, the last filled up with = and nothing after it.",
		`"YWJjYQ=j"`:                   "attachments[0].data is padded wrongly after 6 characters: base64 comes in groups of four, the last filled up with = and nothing after it.",
		`"YWJj!"`:                      "attachments[0].data is not base64: after 4 characters it has one that base64 does not know.",
		`"\u00e9YWJj"`:                 "attachments[0].data is not base64: after 0 characters it has one that base64 does not know.",
		`"YWJjdata:"`:                  "attachments[0].data is not base64: after 8 characters it has one that base64 does not know.",
	} {
		got := refusalText(t, `{"attachments":[{"fileName":"scan.png","contentType":"image/png","data":`+data+`}]}`)
		if want := "invalid-attachment-content: " + want; got != want && !strings.Contains(got, want) {
			t.Errorf("%.40s: %s, want %s", data, got, want)
		}
	}
}
