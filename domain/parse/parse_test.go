package parse_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/parse"
)

const annID = "0190c7a2-0000-7000-8000-0000000000a1"

func TestAnIDIsWrittenInOneForm_D20(t *testing.T) {
	t.Parallel()
	ann := uuid.MustParse(annID)
	for text, want := range map[string]bool{
		annID:                                  true,
		strings.ToUpper(annID):                 true,
		"":                                     false,
		"{" + annID + "}":                      false,
		"urn:uuid:" + annID:                    false,
		strings.ReplaceAll(annID, "-", ""):     false,
		" " + annID[1:]:                        false,
		annID[:35]:                             false,
		annID + "\n":                           false,
		"0190c7a2-0000-7000-8000-0000000000g1": false,
		"0190c7a20-000-7000-8000-0000000000a1": false,
		"{0190c7a200007000800000000000000a1}}": false, // 36 characters
	} {
		if id, ok := parse.ID(text); ok != want || ok && id != ann {
			t.Errorf("%q: %s, %t", text, id, ok)
		}
		if id, ok := parse.SomeID(text); ok != want || ok && id != ann {
			t.Errorf("%q: some %s, %t", text, id, ok)
		}
	}
	if _, ok := parse.ID(uuid.Nil.String()); !ok {
		t.Error("the UUID of zeros is no UUID")
	}
	if _, ok := parse.SomeID(uuid.Nil.String()); ok {
		t.Error("the UUID of zeros is some identifier")
	}
}

func TestAnInstantIsRFC3339Exactly_D19(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-03-02T12:00:00Z":                                   noon,
		"2026-03-02t12:00:00z":                                   noon, // "may alternatively be lower case"
		"2026-03-02T12:00:00-00:00":                              noon,
		"2026-03-02T13:00:00+01:00":                              noon,
		"2026-03-03T11:59:00+23:59":                              noon,
		"2026-03-02T12:00:00.5Z":                                 noon.Add(500 * time.Millisecond),
		"2026-03-02T12:00:00.1234567899Z":                        noon.Add(123_456_789),
		"2026-03-02T12:00:00." + strings.Repeat("0", 1000) + "Z": noon,
		"0000-01-01T00:00:00Z":                                   time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		"2024-02-29T23:59:59Z":                                   time.Date(2024, 2, 29, 23, 59, 59, 0, time.UTC),
	} {
		if at, ok := parse.Instant(text); !ok || !at.Equal(want) {
			t.Errorf("%.40s: %s, %t, want %s", text, at, ok, want)
		}
	}
}

func TestInstantMustBeRFC3339_D19(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "now", "1772452800", "2026-03-02", "2026-03-02T12:00Z", "20260302T120000Z", "2026-W10-1T12:00:00Z", "2026-061T12:00:00Z",
		"2026-03-02T12:00:00", "2026-03-02T12:00:00+01", "2026-03-02T12:00:00+0100", "2026-03-02T12:00:00 +01:00", "2026-03-02T12:00:00UTC",
		"2026-03-02T12:00:00,5Z", "2026-03-02T12:00:00.Z", "2026-03-02T12:00:00.-5Z", "2026-03-02T12:00:00.5.5Z", "2026-03-02T12:00.5Z",
		"2026-03-02T9:00:00Z", "2026-3-02T12:00:00Z", "26-03-02T12:00:00Z", "12026-03-02T12:00:00Z", "+2026-03-02T12:00:00Z", "-026-03-02T12:00:00Z",
		"2026-03-02T24:00:00Z", "2026-03-02T12:60:00Z", "2026-03-02T12:00:60Z", "2016-12-31T23:59:60Z",
		"2026-03-02T12:00:00+24:00", "2026-03-02T12:00:00+23:60", "2026-03-02T12:00:00+99:99", "2026-03-02T12:00:00±01:00", "2026-03-02T12:00:00−01:00",
		"2026-02-29T12:00:00Z", "2026-04-31T12:00:00Z", "2026-13-01T12:00:00Z", "2026-00-01T12:00:00Z", "2026-01-00T12:00:00Z",
		"2026-03-02 12:00:00Z", "2026-03-02_12:00:00Z", " 2026-03-02T12:00:00Z", "2026-03-02T12:00:00Z ", "2026-03-02T12:00:00Z\n",
		"٢٠٢٦-03-02T12:00:00Z", "2026-03-02T12:00:00Z[Europe/London]",
	} {
		if at, ok := parse.Instant(text); ok {
			t.Errorf("%q is taken for %s", text, at)
		}
	}
}

// The zero time.Time means everywhere that no instant was given, so no text may parse
// as it.
func TestZeroInstantIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0001-01-01T00:00:00Z", "0001-01-01t00:00:00.0z", "0001-01-01T05:45:00+05:45", "0000-12-31T23:00:00-01:00"} {
		if at, ok := parse.Instant(text); ok {
			t.Errorf("%q is read as %s", text, at)
		}
	}
	for _, text := range []string{"0000-12-31T23:59:59.999999999Z", "0001-01-01T00:00:00.000000001Z", "0001-01-01T00:00:00-00:01"} {
		if at, ok := parse.Instant(text); !ok || at.IsZero() {
			t.Errorf("%q is read as %s, %t", text, at, ok)
		}
	}
}

// FuzzInstant looks for a text that parses as an instant but could not be formatted,
// and for one that package time would format and that is refused.
func FuzzInstant(f *testing.F) {
	f.Add("2026-03-02T12:00:00Z", int64(0), 0)
	f.Add("2026-03-02t12:00:00.5+23:59", int64(-1), 86399)
	f.Fuzz(func(t *testing.T, text string, nanos int64, offset int) {
		at, ok := parse.Instant(text)
		if again, same := parse.Instant(at.Format(time.RFC3339Nano)); ok && (!same || !again.Equal(at)) {
			t.Errorf("%q is %s, which is read as %s", text, at, again)
		}
		ours := time.Unix(0, nanos).In(time.FixedZone("", offset%(23*3600)/60*60)).Format(time.RFC3339Nano)
		if again, ok := parse.Instant(ours); !ok || again.UnixNano() != nanos {
			t.Errorf("%s is read as %s, %t", ours, again, ok)
		}
	})
}
