package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"frontdesk/adapters/postgres"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// version is what this program was built of. What the builder did not know is missing.
type version struct {
	Version     string    `json:"version"`              // of the module; (devel) for a build that has none
	Commit      string    `json:"commit,omitempty"`     // that was built
	CommittedAt time.Time `json:"committedAt,omitzero"` // when that was made
	Modified    bool      `json:"modified"`             // files differed from the commit
	Go          string    `json:"go"`
	Platform    string    `json:"platform"`
	Schema      int64     `json:"schema"` // the version of the database schema that this program needs
}

// Run prints what this program was built of and what it needs.
func (c *versionCmd) Run(r *run) error {
	schema, err := postgres.SchemaVersion()
	if err != nil {
		return err
	}
	v := ownVersion(schema)
	if c.JSON {
		return json.NewEncoder(r.Out).Encode(v)
	}
	_, err = fmt.Fprint(r.Out, v)
	return err
}

// ownVersion returns the version of this program.
func ownVersion(schema int64) version {
	build, _ := debug.ReadBuildInfo() // nil if it was stripped
	return versionOf(build, schema)
}

func versionOf(build *debug.BuildInfo, schema int64) version {
	v := version{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Schema: schema}
	if build == nil {
		return v
	}
	v.Version = cmp.Or(build.Main.Version, v.Version)
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
	return v
}

// String returns the lines that people read.
func (v version) String() string {
	commit := "unknown"
	if v.Commit != "" {
		commit = fmt.Sprintf("%s of %s", v.Commit, v.CommittedAt.Format(time.RFC3339))
	}
	if v.Modified {
		commit += ", with changes"
	}
	return fmt.Sprintf("frontdesk %s\ncommit: %s\nbuilt with: %s for %s\nneeds database schema: %d\n", v.Version, commit, v.Go, v.Platform, v.Schema)
}
