package app

import (
	"runtime/debug"
	"strings"
	"testing"

	"frontdesk"
)

// A build between two releases has a version of its own, so that metrics tell it from the release.
func TestVersionDescribesBuild(t *testing.T) {
	t.Parallel()
	const commit = "abcdef0123456789abcdef0123456789abcdef01"
	number := frontdesk.Version()
	for _, test := range []struct{ tag, commit, modified, version, line string }{
		{"v" + number, commit, "false", number, commit + " of 2026-03-02T12:00:00Z"},
		{"v0.0.0-20260302120000-abcdef012345", commit, "false", number + "-dev+abcdef012345", commit + " of 2026-03-02T12:00:00Z"},
		{"v" + number + "+dirty", commit, "true", number + "-dev+abcdef012345.dirty", commit + " of 2026-03-02T12:00:00Z, with changes"},
		{"(devel)", "abc123", "false", number + "-dev+abc123", "abc123 of 2026-03-02T12:00:00Z"},
		{"(devel)", "", "", number + "-dev", "unknown"},
		{"none", "", "", number + "-dev", "unknown"},
	} {
		var build *debug.BuildInfo
		if test.tag != "none" {
			build = &debug.BuildInfo{Main: debug.Module{Version: test.tag}}
		}
		if test.commit != "" {
			build.Settings = []debug.BuildSetting{
				{Key: "vcs.revision", Value: test.commit}, {Key: "vcs.time", Value: "2026-03-02T12:00:00Z"}, {Key: "vcs.modified", Value: test.modified},
			}
		}
		said := versionOf(build, 12).String()
		want := "frontdesk " + test.version + "\ncommit: " + test.line + "\nbuilt with: go1"
		if !strings.HasPrefix(said, want) || !strings.HasSuffix(said, "\nneeds database schema: 12\n") {
			t.Errorf("%s: the output is\n%s", test.tag, said)
		}
	}
}
