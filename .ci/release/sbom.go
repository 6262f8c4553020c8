package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// bom is a software bill of materials in the form of CycloneDX 1.6. It has only what Go has
// written into the program, so the same program has the same one.
type bom struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"` // of the commit
	Component component `json:"component"` // the program
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// materials returns the bill of materials of a program: its modules and Go's standard library.
func materials(build *debug.BuildInfo, made time.Time) ([]byte, error) {
	program := componentOf("application", build.Main.Path, build.Main.Version, "")
	all := bom{
		Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: metadata{made.UTC().Format(time.RFC3339), program},
		Components: []component{componentOf("library", "std", strings.TrimPrefix(build.GoVersion, "go"), "")},
	}
	for _, m := range build.Deps {
		if isOwn(m) {
			continue // part of the program
		}
		if m.Replace != nil {
			m = m.Replace
		}
		all.Components = append(all.Components, componentOf("library", m.Path, m.Version, m.Sum))
	}
	needs := dependency{Ref: program.Ref}
	for _, c := range all.Components {
		needs.DependsOn = append(needs.DependsOn, c.Ref)
	}
	all.Dependencies = []dependency{needs}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the bill of materials: %w", err)
	}
	return append(text, '\n'), nil
}

// componentOf returns a module with its package URL. Sum is its line of go.sum.
func componentOf(kind, path, version, sum string) component {
	c := component{Type: kind, Name: path, Version: version, PURL: "pkg:golang/" + path}
	if version != "" {
		c.PURL += "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	if c.Ref = c.PURL; sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}
