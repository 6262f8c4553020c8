package body_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"frontdesk/adapters/httpapi/body"
	"frontdesk/adapters/httpapi/httpapitest"
	"frontdesk/domain/request"
)

// PHP escapes every / as \/, .NET escapes every + as \u002B, and any character may be
// escaped.
func TestEscapesInBase64AreUndone_D21(t *testing.T) {
	t.Parallel()
	plain := httpapitest.Noise(1, 100_000)
	text := base64.StdEncoding.EncodeToString(plain)
	every := &strings.Builder{}
	for _, c := range text {
		fmt.Fprintf(every, `\u%04x`, c)
	}
	for name, written := range map[string]string{
		"PHP":        strings.ReplaceAll(text, "/", `\/`),
		".NET":       strings.ReplaceAll(text, "+", `\u002B`),
		"both":       strings.NewReplacer("/", `\u002F`, "+", `\u002b`).Replace(text),
		"padding":    strings.ReplaceAll(text, "=", `\u003D`),
		"everything": every.String(),
	} {
		for _, whole := range []string{attachment(written), strings.ReplaceAll(attachment(written), `"data"`, `"d\u0061t\u0061"`)} {
			s := &httpapitest.Shelf{}
			tree, err := read(t, s, whole)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got := data(t, tree); !got.Base64 || !bytes.Equal(opened(t, s, got), plain) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

func TestInvalidBase64IsDetected_D21(t *testing.T) {
	t.Parallel()
	long := base64.StdEncoding.EncodeToString(httpapitest.Noise(2, 60_000))
	for name, text := range map[string]string{
		"no padding":              "YQ",
		"half the padding":        "YQ=",
		"too much padding":        "YQ===",
		"padding alone":           "====",
		"padding in the middle":   "YQ==YQ==",
		"something after padding": "YWI=\\n",
		"bits beyond the end":     "YR==",
		"a line break":            `YWJj\nYWJj`,
		"a line break at the end": `YWJj\r\n`,
		"a space":                 "YW Jj",
		"the other alphabet":      "-_-_",
		"an escaped tab":          `YW\tj`,
		"beyond ASCII":            "YWJé",
		"beyond ASCII, escaped":   `YWJ\u00e9`,
		"a pair of surrogates":    `YWJj\ud83d\ude00`,
		"a data URL":              "data:image/png;base64,YWJj",
		"late":                    long + "!" + long,
		"very late":               long + long + "Y",
		"an escaped quote":        long + `\"`,
	} {
		tree, err := read(t, &httpapitest.Shelf{}, attachment(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := data(t, tree); got.Base64 || got.ID != (request.AttachmentID{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestDataIsATextLikeOthers_D19(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a line break as it is":   "YWJj\nYWJj",
		"a tab as it is":          "!\t",
		"no UTF-8":                "!\xff",
		"half a character":        "!\xc3",
		"U+0000":                  `!\u0000`,
		"the first half alone":    `!\ud83d`,
		"two first halves":        `!\ud83d\ud83d`,
		"the second half alone":   `!\ude00`,
		"an unknown escape":       `!\x`,
		"an escape with a sign":   `!\u+123`,
		"an escape too short":     `!\u12`,
		"an escape with a letter": `!\u12g4`,
		"half and another escape": `!\ud83d\n`,
		"U+0000 in base64":        `YW\u0000j`,
	} {
		for _, before := range []string{"", "YWJj", strings.Repeat("YWJj", 20_000)} {
			if _, err := read(t, &httpapitest.Shelf{}, attachment(before+text)); !errors.Is(err, body.ErrInvalid) {
				t.Errorf("%s after %d others: %v", name, len(before), err)
			}
		}
	}
}
