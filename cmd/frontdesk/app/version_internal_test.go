package app

import (
	"runtime/debug"
	"strings"
	"testing"

	"frontdesk"
)

func TestVersionDescribesBuild(t *testing.T) {
	t.Parallel()
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	build := &debug.BuildInfo{Settings: []debug.BuildSetting{
		setting("vcs.revision", "abc123"), setting("vcs.time", "2026-03-02T12:00:00Z"), setting("vcs.modified", "true"),
	}}
	for want, of := range map[string]*debug.BuildInfo{
		"frontdesk " + frontdesk.Version() + "\ncommit: abc123 of 2026-03-02T12:00:00Z, with changes\nbuilt with: go1": build,
		"frontdesk " + frontdesk.Version() + "\ncommit: unknown\nbuilt with: go1":                                      nil,
	} {
		if said := versionOf(of, 12).String(); !strings.HasPrefix(said, want) || !strings.HasSuffix(said, "\nneeds database schema: 12\n") {
			t.Errorf("the output is\n%s", said)
		}
	}
}
