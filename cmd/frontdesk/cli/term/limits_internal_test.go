package term

import (
	"testing"

	"frontdesk/cmd/frontdesk/app"
)

func TestANumberOfBytesHasAUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byteSize{
		"0": 0, "1000": 1000, "1KiB": 1 << 10, "500MiB": 500 << 20, "50GiB": 50 << 30, "3TiB": 3 << 40,
	} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want || got.String() != text {
			t.Errorf("%s is read as %d, written as %s, error %v", text, got, got, err)
		}
	}
	for _, text := range []string{"", "GiB", "-1", "1.5GiB", "5 GiB", "5GB", "5B", "99999999999TiB", "1GiBGiB"} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

func TestZeroIsNoLimit(t *testing.T) {
	t.Parallel()
	var config app.Config
	LifetimeFlags{}.ApplyLimits(&config)
	if config.RateLimit != app.NoLimit || config.DailyBytes != app.NoLimit {
		t.Errorf("0 is a limit of %v calls and %d bytes", config.RateLimit, config.DailyBytes)
	}
	LifetimeFlags{RateLimit: 2.5, DailyBytes: 100}.ApplyLimits(&config)
	if config.RateLimit != 2.5 || config.DailyBytes != 100 {
		t.Errorf("the limits are %v calls and %d bytes", config.RateLimit, config.DailyBytes)
	}
}
