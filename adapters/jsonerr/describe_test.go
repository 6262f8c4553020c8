package jsonerr_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/adapters/jsonerr"
)

// With a library's new wording each of these would become "the text is malformed".
func TestAMistakeInJSONIsDescribed_D92(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                       "there is no value",
		" \n":                    "there is no value",
		"\xef\xbb\xbf{}":         "at the very beginning, a byte order mark must not be sent",
		"<html>":                 "at the very beginning, no JSON value begins here",
		`{"a":1,}`:               "after 6 bytes, a comma has nothing before it or behind it",
		`[1,]`:                   "after 2 bytes, a comma has nothing before it or behind it",
		`{,}`:                    "after 1 byte, a comma has nothing before it or behind it",
		`{"a":1,"a":2}`:          "after 7 bytes, an object has a name twice",
		"{\"a\":\"\xff\"}":       "after 6 bytes, the text is not UTF-8",
		`{"a":"\ud800"}`:         `after 6 bytes, an escape \u stands for half a character`,
		`{"a":"\ud800\u0041"}`:   `after 6 bytes, an escape \u stands for half a character`,
		`{"a":"\x"}`:             "after 6 bytes, a backslash begins no escape that JSON knows",
		"{\"a\":\"x\ny\"}":       "after 7 bytes, a line break or another control character in a string must be escaped",
		`{"a":1`:                 "after 6 bytes, the text ends too early",
		`{"a":"x`:                "after 7 bytes, the text ends too early",
		`{'a':1}`:                "after 1 byte, strings must have double quotes",
		`{"a" 1}`:                "after 5 bytes, a colon must follow a name",
		`{"a":1 "b":2}`:          "after 7 bytes, a comma or a closing bracket is missing",
		`[1 2]`:                  "after 3 bytes, a comma or a closing bracket is missing",
		`{"a":tru}`:              "after 8 bytes, only true, false, null and numbers have no quotes",
		`{a:1}`:                  "after 1 byte, no JSON value begins here",
		`{1:2}`:                  "after 1 byte, a name must be a string in double quotes",
		`{"secret":"\ud800abc"}`: `after 11 bytes, an escape \u stands for half a character`,
	} {
		if got := jsonerr.Describe(mistake(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAnotherErrorIsNoMistakeInJSON_D92(t *testing.T) {
	t.Parallel()
	if got := jsonerr.Describe(errors.New("the connection was cut")); got != "" {
		t.Error(got)
	}
}

// mistake returns the decoder's error for a text.
func mistake(text string) error {
	decoder := jsontext.NewDecoder(strings.NewReader(text))
	for tokens := 0; ; tokens++ {
		if _, err := decoder.ReadToken(); tokens > 0 && errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
