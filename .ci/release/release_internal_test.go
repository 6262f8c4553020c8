package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var made = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// unpacked returns the headers of an archive.
func unpacked(t *testing.T, archived []byte) (headers []*tar.Header) {
	t.Helper()
	squeezed, err := gzip.NewReader(bytes.NewReader(archived))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(squeezed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return headers
		}
		if err != nil {
			t.Fatal(err)
		}
		headers = append(headers, header)
	}
}

func TestArchiveIsReproducible_D112(t *testing.T) {
	t.Parallel()
	var archives [][]byte
	for _, order := range [][]string{{"b", "a"}, {"a", "b"}} {
		dir := t.TempDir()
		var files []file
		for _, name := range order {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("of "+name), 0o600); err != nil {
				t.Fatal(err)
			}
			files = append(files, file{name, filepath.Join(dir, name), 0o644})
		}
		archived, err := pack("frontdesk-v1", made, files)
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, archived)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("two folders make two archives")
	}
	headers := unpacked(t, archives[0])
	if len(headers) != 2 || headers[0].Name != "frontdesk-v1/a" || headers[0].Uname != "root" || !headers[1].ModTime.Equal(made) || headers[1].Mode != 0o644 {
		t.Errorf("the archive holds %+v", headers)
	}
}

// The archive has the files that operators copy, and all link targets of its pages.
func TestArchiveHasLinkedFiles_D112(t *testing.T) {
	t.Chdir("../..")
	tracked, err := clone(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	files, err := closure(tracked)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	for _, name := range []string{
		"LICENSE", "Dockerfile", "docs/operate/README.md", "docs/audit/README.md", "docs/operate/systemd/frontdesk.service", "docs/operate/kubernetes/serve.yaml",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is not in the archive", name)
		}
	}
	if slices.Contains(names, "go.mod") || len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("these are in the archive: %v", names)
	}
}

func TestLinksAreRelativeToPage_D112(t *testing.T) {
	t.Parallel()
	text := "[a](b.md#c) [d](../e) [f](#g) [h](https://example.org/i) [j](mailto:k@example.org)"
	if got := linksOf("docs/operate/l.md", text); !slices.Equal(got, []string{"docs/operate/b.md", "docs/e"}) {
		t.Errorf("it links to %v", got)
	}
	if _, err := closure([]string{"LICENSE"}); err == nil {
		t.Error("a file that is not there is archived")
	}
}
