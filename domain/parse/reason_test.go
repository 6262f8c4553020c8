package parse_test

import (
	"errors"
	"strings"
	"testing"

	"frontdesk/domain/parse"
)

func TestAReasonIsOneShortLine_D73(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("é", parse.MaxReason)
	for text, want := range map[string]string{
		" written into another patient's record\n": "written into another patient's record",
		longest:        longest,
		longest + "é":  "",
		"":             "",
		" \t\u00a0":    "",
		"one\ntwo":     "",
		"one\u202etwo": "",
		"one\x1b[2J":   "",
		"one\xff":      "",
	} {
		reason, err := parse.Reason(text)
		if reason != want || errors.Is(err, parse.ErrInvalidReason) != (want == "") {
			t.Errorf("%.40q: %q, error %v", text, reason, err)
		}
	}
}
