package written_test

import (
	"errors"
	"strings"
	"testing"

	"frontdesk/domain/written"
)

func TestAReasonIsOneShortLine_D73(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("é", written.MaxReason)
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
		reason, err := written.Reason(text)
		if reason != want || errors.Is(err, written.ErrInvalidReason) != (want == "") {
			t.Errorf("%.40q: %q, error %v", text, reason, err)
		}
	}
}
