package main

import (
	"encoding/json"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// build is a program of two modules, one of which is in the clone.
func build() *debug.BuildInfo {
	return &debug.BuildInfo{
		GoVersion: "go1.26.0", Main: debug.Module{Path: "frontdesk", Version: "v0.1.0"},
		Deps: []*debug.Module{
			{Path: "frontdesk.example/client", Version: "v0.0.0", Replace: &debug.Module{Path: "./client/go"}},
			{Path: "golang.org/x/mod", Version: "v0.42.0+incompatible", Sum: "h1:abc="},
		},
	}
}

func TestBillOfMaterials_D145(t *testing.T) {
	t.Parallel()
	text, err := materials(build(), made)
	if err != nil {
		t.Fatal(err)
	}
	var bill bom
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	const program, std, mod = "pkg:golang/frontdesk@v0.1.0", "pkg:golang/std@1.26.0", "pkg:golang/golang.org/x/mod@v0.42.0%2Bincompatible"
	if bill.Format != "CycloneDX" || bill.SpecVersion != "1.6" || bill.Metadata.Timestamp != "2026-03-02T12:00:00Z" || bill.Metadata.Component.Ref != program {
		t.Errorf("it is of %+v", bill)
	}
	if c := bill.Components; len(c) != 2 || c[0].PURL != std || c[1].PURL != mod || c[1].Properties[0] != (property{"go:sum", "h1:abc="}) {
		t.Errorf("it lists %+v", c)
	}
	if d := bill.Dependencies; len(d) != 1 || d[0].Ref != program || !slices.Equal(d[0].DependsOn, []string{std, mod}) {
		t.Errorf("it needs %+v", d)
	}
	if again, err := materials(build(), made); err != nil || string(again) != string(text) {
		t.Error("two runs differ")
	}
}

// The archive has the terms of each module in the program, of code that a module copied,
// and of Go.
func TestArchiveHasLicences_D145(t *testing.T) {
	t.Chdir("../..")
	files, err := licences(t.Context(), []*debug.Module{
		build().Deps[0], {Path: "golang.org/x/mod", Version: "v1"}, {Path: "github.com/klauspost/compress", Version: "v1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	for _, name := range []string{"licences/golang.org/x/mod@v1/LICENSE", "licences/github.com/klauspost/compress@v1/snappy/LICENSE", "licences/std/LICENSE"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not in the archive, but %v", name, names)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, "example") }) {
		t.Errorf("the archive has %v", names)
	}
	if _, err := termsIn("docs/examples", "x"); err != nil {
		t.Error(err)
	}
}
