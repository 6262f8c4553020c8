package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPostgresIsFound(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	for _, major := range []int{9, 14, 16, 17} {
		install(t, at("lib", fmt.Sprint(major), "bin"), major, "initdb", "pg_ctl", "postgres")
	}
	install(t, at("client", "bin"), 18, "psql")
	install(t, at("wrapper"), 18, "postgres")
	must(t, os.MkdirAll(at("links"), 0o755))
	must(t, os.Symlink(at("lib", "16", "bin", "initdb"), at("links", "initdb")))
	program(t, at("config", "pg_config"), "echo "+at("lib", "14", "bin"))
	places := []string{at("lib", "*", "bin"), at("client", "bin"), at("nowhere", "*")}

	for name, c := range map[string]struct {
		path string
		want []int // major versions, best first
	}{
		"nothing on the path: the newest first":  {"", []int{17, 16, 14, 9}},
		"a wrapper alone on the path is nothing": {at("wrapper"), []int{17, 16, 14, 9}},
		"a client alone on the path is nothing":  {at("client", "bin"), []int{17, 16, 14, 9}},
		"the path leads":                         {at("lib", "9", "bin") + ":" + at("lib", "14", "bin"), []int{9, 14, 17, 16, 14, 9}},
		"a link leads to its installation":       {at("links"), []int{16, 17, 16, 14, 9}},
		"pg_config leads to its installation":    {at("config"), []int{14, 17, 16, 14, 9}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []int
			for _, i := range installations(t.Context(), c.path, places) {
				if want := fmt.Sprintf("%c%d%c", filepath.Separator, i.major, filepath.Separator); !strings.Contains(i.bin, want) {
					t.Errorf("version %d found in %s", i.major, i.bin)
				}
				got = append(got, i.major)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheInstallationFitsTheData(t *testing.T) {
	t.Parallel()
	machine := []installation{{"/14", 14}, {"/16", 16}, {"/17", 17}}
	for name, c := range map[string]struct {
		found  []installation
		wanted int
		bin    string
		says   string
	}{
		"the first that is new enough":       {machine, 0, "/16", ""},
		"the one that wrote the data":        {machine, 17, "/17", ""},
		"an old one for old data":            {machine, 14, "/14", ""},
		"none for the data":                  {machine[1:2], 15, "", "install postgresql-15"},
		"none that is new enough":            {machine[:1], 0, "", "install version 15 or newer"},
		"none at all":                        {nil, 0, "", "apt-get install postgresql"},
		"none at all, whatever the data are": {nil, 15, "", "apt-get install postgresql"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := choose(c.found, c.wanted)
			if got.bin != c.bin || (err == nil) != (c.says == "") {
				t.Fatalf("chose %q, %v", got.bin, err)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("says %q, want %q", err, c.says)
			}
		})
	}
}

// install makes a directory of programs that all report the version.
func install(t *testing.T, bin string, major int, names ...string) {
	t.Helper()
	for _, name := range names {
		program(t, filepath.Join(bin, name), fmt.Sprintf("echo '%s (PostgreSQL) %d.2 (Debian %[2]d.2-1)'", name, major))
	}
}

func program(t *testing.T, path, script string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
