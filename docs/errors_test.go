package docs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/adapters/httpapi"
	"frontdesk/cmd/frontdesk/devkit/refusals"
)

//go:generate go test -run TestErrorPagesAreUpToDate -update-errors .

var updateErrors = flag.Bool("update-errors", false, "write errors/ and the codes' descriptions in openapi.json")

const (
	errorPages  = "errors"
	description = "../adapters/httpapi/openapi.json"
)

// pages are the files that the table of refusals is made into.
func pages() map[string][]byte {
	all := map[string][]byte{"README.md": refusals.Index()}
	for _, code := range refusals.Codes() {
		all[code.Code+".md"] = code.Page()
	}
	return all
}

func TestErrorPagesAreUpToDate_D92(t *testing.T) {
	t.Parallel()
	if *updateErrors {
		writeErrors(t)
	}
	made := pages()
	for name, want := range made {
		if got, err := os.ReadFile(filepath.Join(errorPages, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: run with -update-errors (%v)", name, err)
		}
	}
	found, err := os.ReadDir(errorPages)
	if err != nil || len(found) != len(made) {
		t.Errorf("%d pages, and %d are made of the table: %v", len(found), len(made), err)
	}
}

// writeErrors writes the pages, and the meanings in the OpenAPI description.
func writeErrors(t *testing.T) {
	t.Helper()
	document, err := os.ReadFile(description)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{description: described(document)}
	for name, text := range pages() {
		files[filepath.Join(errorPages, name)] = text
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// meanings matches the meanings of the codes in the OpenAPI description.
var meanings = regexp.MustCompile(`("x-enumDescriptions": \{\n) *"unauthorized"[^}]*\n( *\})`)

// described returns the OpenAPI description with the meanings of the table.
func described(document []byte) []byte {
	var lines []string
	for _, code := range refusals.Codes() {
		lines = append(lines, fmt.Sprintf("          %q: %s", code.Code, inJSON(code.Meaning())))
	}
	return meanings.ReplaceAll(document, []byte("${1}"+strings.ReplaceAll(strings.Join(lines, ",\n"), "$", "$$")+"\n${2}"))
}

// inJSON is a text as JSON.
func inJSON(text string) string {
	var quoted bytes.Buffer
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(quoted.String(), "\n")
}

// The codes, their meanings, and the sentences of the examples are those of the table.
func TestOpenAPICodesMatchTable_D92(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas struct {
				ErrorCode struct {
					Enum     []string          `json:"x-extensible-enum"`
					Meanings map[string]string `json:"x-enumDescriptions"`
				}
			}
			Examples map[string]struct {
				Value struct {
					Errors []struct{ Code, Description string }
				}
			}
		}
	}
	if err := json.Unmarshal(httpapi.Description(""), &document); err != nil {
		t.Fatal(err)
	}
	listed := document.Components.Schemas.ErrorCode
	var codes []string
	for _, code := range refusals.Codes() {
		codes = append(codes, code.Code)
		if got := listed.Meanings[code.Code]; got != code.Meaning() {
			t.Errorf("%s is described as %q, want %q: run with -update-errors", code.Code, got, code.Meaning())
		}
		example := document.Components.Examples[code.Code].Value.Errors
		if len(example) != 1 || refusals.Find(code.Code, example[0].Description) == "" {
			t.Errorf("the example of %s says no sentence of the table: %+v", code.Code, example)
		}
	}
	if !slices.Equal(listed.Enum, codes) || len(listed.Meanings) != len(codes) {
		t.Errorf("described are %q, and the table has %q", listed.Enum, codes)
	}
}
