package app

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"frontdesk"
	"frontdesk/adapters/postgres"
)

// Version describes the build of a program. Facts that the builder did not know are empty.
type Version struct {
	Version     string    `json:"version"`              // of the project: 0.1.0 if it was released, or 0.1.0-dev+COMMIT
	Commit      string    `json:"commit,omitempty"`     // of the source
	CommittedAt time.Time `json:"committedAt,omitzero"` // when that was made
	Modified    bool      `json:"modified"`             // files differed from the commit
	Go          string    `json:"go"`
	Platform    string    `json:"platform"`
	Schema      int64     `json:"schema"` // the version of the database schema that this program needs
}

// ThisVersion returns the version of this program.
func ThisVersion() (Version, error) {
	schema, err := postgres.SchemaVersion()
	build, _ := debug.ReadBuildInfo() // nil if it was stripped
	return versionOf(build, schema), err
}

func versionOf(build *debug.BuildInfo, schema int64) Version {
	v := Version{Version: frontdesk.Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Schema: schema}
	if build == nil {
		v.Version += unreleased
		return v
	}
	for _, setting := range build.Settings {
		switch setting.Key {
		case "vcs.revision":
			v.Commit = setting.Value
		case "vcs.time":
			v.CommittedAt, _ = time.Parse(time.RFC3339, setting.Value) // zero if it is none
		case "vcs.modified":
			v.Modified = setting.Value == "true"
		}
	}
	if build.Main.Version != "v"+v.Version { // Go writes the tag here, if the commit has one and nothing has changed
		v.Version += unreleased + v.mark()
	}
	return v
}

// unreleased sorts before the release of the same number (SemVer 2.0).
const unreleased = "-dev"

// mark is what SemVer calls build metadata; "" if the commit is not known.
func (v Version) mark() string {
	if v.Commit == "" {
		return ""
	}
	mark := "+" + v.Commit[:min(len(v.Commit), shortCommit)]
	if v.Modified {
		mark += ".dirty"
	}
	return mark
}

const shortCommit = 12 // as many digits as Go's own versions have

// String returns the lines that people read.
func (v Version) String() string {
	commit := "unknown"
	if v.Commit != "" {
		commit = fmt.Sprintf("%s of %s", v.Commit, v.CommittedAt.Format(time.RFC3339))
	}
	if v.Modified {
		commit += ", with changes"
	}
	return fmt.Sprintf("frontdesk %s\ncommit: %s\nbuilt with: %s for %s\nneeds database schema: %d\n", v.Version, commit, v.Go, v.Platform, v.Schema)
}
