package bearer

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAnInstantIsExact(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"0": "0", "60": "60", "60.5": "60.5", "60.500": "60.5", "60.0": "60", "0.05": "0.05",
		"1e3": "1000", "1E+3": "1000", "1.5e3": "1500", "1.2345e2": "123.45", "12345e-2": "123.45", "5e-3": "0.005",
		"1e0": "1", "1e-0": "1", "100e-2": "1", "1800000000.0000000000000000000000000001": "1800000000.0000000000000000000000000001",
		"9007199254740992": "9007199254740992", "0e64": "0", "1e-64": "0." + strings.Repeat("0", 63) + "1",

		"-1": "", "-0": "", "9007199254740993": "", "1e17": "", "1e65": "", "1e-65": "", "1e999999999999999999999": "",
		"99999999999999999999": "", "0." + strings.Repeat("0", 63): "",
	} {
		got, ok := parseInstant(number)
		if ok != (want != "") || ok && plain(got) != want {
			t.Errorf("%s reads as %s, %v; want %q", number, plain(got), ok, want)
		}
	}
}

// plain formats an instant as a decimal number.
func plain(i instant) string {
	if i.fraction == "" {
		return strconv.FormatInt(i.seconds, 10)
	}
	return strconv.FormatInt(i.seconds, 10) + "." + i.fraction
}

func TestInstantsCompareAsTheirNumbers(t *testing.T) {
	t.Parallel()
	numbers := []string{"0", "0.05", "0.5", "0.45", "0.500000000000000000001", "1", "1.0", "1e1", "9.999999999999999999", "10.000000000000000001", "60"}
	for _, a := range numbers {
		for _, b := range numbers {
			x, _ := parseInstant(a)
			y, _ := parseInstant(b)
			exactX, _ := new(big.Rat).SetString(a)
			exactY, _ := new(big.Rat).SetString(b)
			if got, want := x.after(y), exactX.Cmp(exactY) > 0; got != want {
				t.Errorf("%s after %s: %v", a, b, got)
			}
		}
	}
}

func TestTheClockKeepsItsFractions(t *testing.T) {
	t.Parallel()
	for nanos, want := range map[int64]string{0: "7", 1: "7.000000001", 500_000_000: "7.5", 120_000_000: "7.12", 999_999_999: "7.999999999"} {
		if got := plain(instantOf(time.Unix(7, nanos))); got != want {
			t.Errorf("%d ns: %s, want %s", nanos, got, want)
		}
	}
}

func TestTimesAreReadable_D92(t *testing.T) {
	t.Parallel()
	now := instant{seconds: 1_800_000_000} // 2027-01-15T08:00:00Z
	for seconds, want := range map[int64]string{
		1_800_000_000:          "08:00:00Z",
		1_799_999_860:          "07:57:40Z",
		1_800_000_000 + 43_199: "19:59:59Z",
		1_800_000_000 - 43_199: "20:00:01Z",
		1_800_000_000 + 43_200: "2027-01-15T20:00:00Z",
		1_800_000_000 - 43_200: "2027-01-14T20:00:00Z",
		1:                      "1970-01-01T00:00:01Z",
	} {
		if got := (instant{seconds: seconds}).format(now); got != want {
			t.Errorf("%d: %s, want %s", seconds, got, want)
		}
	}
	for seconds, want := range map[int64]string{
		0: "0 s", 140: "140 s", 7199: "7199 s", 7200: "2 hours", 172_799: "47 hours", 172_800: "2 days", 1_799_999_999: "20833 days",
	} {
		if got := span(seconds); got != want {
			t.Errorf("%d: %s, want %s", seconds, got, want)
		}
	}
	if got := (instant{seconds: 60, fraction: "2"}).since(instant{fraction: "25"}); got != 59 {
		t.Errorf("59.95 s are %d whole ones", got)
	}
}

func TestAnotherUnitIsSeenByAYear_D92(t *testing.T) {
	t.Parallel()
	now := instant{seconds: 1_800_000_000}
	for seconds, want := range map[int64]string{
		1_800_000_000_000: "milliseconds", 1_800_000_000_999: "milliseconds", 1_800_000_000_000_000: "microseconds",
		1_831_622_399_999: "milliseconds", 1_831_622_400_000: "", 1_768_377_601_000: "milliseconds", 1_768_377_600_000: "",
		1_800_000_000: "", maxInstant: "", 0: "",
	} {
		if got := (instant{seconds: seconds}).unit(now); got != want {
			t.Errorf("%d: %q, want %q", seconds, got, want)
		}
	}
}
