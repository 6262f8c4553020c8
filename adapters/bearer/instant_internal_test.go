package bearer

import (
	"math/big"
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
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s reads as %s, %v; want %q", number, got, ok, want)
		}
	}
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
		if got := instantOf(time.Unix(7, nanos)).String(); got != want {
			t.Errorf("%d ns: %s, want %s", nanos, got, want)
		}
	}
}
