package retention_test

import (
	"testing"

	"frontdesk/adapters/postgres/retention"
)

func TestPeriodsAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]retention.Period{"never": {}, "8y": {Years: 8}, "400d": {Days: 400}, "62d": {Days: 62}} {
		var got retention.Period
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%s is read as %+v, and written %s: %v", text, got, got, err)
		}
	}
	for _, text := range []string{"", "8", "y", "0y", "-1y", "61d", "0d", "8h", "720h", "8y1d", "9999999y", "ever"} {
		var got retention.Period
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
	if got := (retention.Period{Years: 8}).Before(day(2028, 2, 29)); !got.Equal(day(2020, 2, 29)) {
		t.Errorf("8y before a leap day: %s", got)
	}
}
