package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clocks "frontdesk/adapters/clock"
)

func TestAClockGoesWhereASettingLeads_D96(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 27, 12, 0, 0, 0, time.UTC)
	for setting, want := range map[string]time.Duration{
		"real": 0, "+12h": 13 * time.Hour, "-30m": 30 * time.Minute, "2027-03-28T00:59:00Z": 12*time.Hour + 59*time.Minute,
		"2027-03-28T00:59:00+01:00": 11*time.Hour + 59*time.Minute,
	} {
		if got, err := move(setting, now, time.Hour); err != nil || got != want {
			t.Errorf("from an hour ahead, %s leads to %v (%v), want %v", setting, got, err, want)
		}
	}
	for _, setting := range []string{"12h", "tomorrow", "+", "+1d", "2027-03-28", "REAL"} {
		_, err := move(setting, now, time.Hour)
		if _, told := errors.AsType[errRefused](err); !told {
			t.Errorf("%s is not refused: %v", setting, err)
		}
	}
}

func TestAClockNeverGoesBehindTheNewestEvent_D96(t *testing.T) {
	t.Parallel()
	c, ctx := open(t, t.TempDir()), t.Context()
	newestEvent := c.Now().Add(time.Hour)
	newest := func(context.Context) (time.Time, error) { return newestEvent, nil }
	if err := c.set(ctx, "+2h", newest); err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{"real", "-90m"} {
		err := c.set(ctx, setting, newest)
		if err == nil || !strings.Contains(err.Error(), "frontdesk sandbox reset") || c.ahead() != 2*time.Hour {
			t.Errorf("%s: %v; %s ahead", setting, err, c.ahead())
		}
	}
	if err := c.set(ctx, "-30m", newest); err != nil || c.ahead() != 90*time.Minute {
		t.Errorf("back to after the newest event: %v; %s ahead", err, c.ahead())
	}
	if err := c.toRealTime(); err != nil || c.ahead() != 0 {
		t.Errorf("by a reset: %v; %s ahead", err, c.ahead())
	}
}

func TestClockStaysWithinTenYearsOfRealTime_D96(t *testing.T) {
	t.Parallel()
	c, ctx := open(t, t.TempDir()), t.Context()
	longAgo := func(context.Context) (time.Time, error) { return time.Time{}, nil }
	for _, setting := range []string{"-1s", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "+999999h"} {
		err := c.set(ctx, setting, longAgo)
		if _, told := errors.AsType[errRefused](err); !told || c.ahead() != 0 {
			t.Errorf("%s: %v; %s ahead", setting, err, c.ahead())
		}
	}
}

func TestAClockOutlivesItsSandbox_D96(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := open(t, dir).set(t.Context(), "+36h", nil); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if again.ahead() != 36*time.Hour || !strings.Contains(again.String(), "36h0m0s ahead") {
		t.Errorf("the next one shows %s", again)
	}
	if err := again.toRealTime(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, clockName)); !os.IsNotExist(err) {
		t.Errorf("real time leaves a file: %v", err)
	}
}

func open(t *testing.T, dir string) *clock {
	t.Helper()
	c, err := openClock(dir, clocks.System)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
