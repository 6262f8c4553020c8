package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The checksums are of all files in the folder, so none may be there before.
func TestKitBeginsInEmptyFolder_D166(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "kit")
	for range 2 {
		if err := begin(folder); err != nil {
			t.Error(err)
		}
	}
	stranger := filepath.Join(folder, "mine.txt")
	if err := os.WriteFile(stranger, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := begin(folder); err == nil {
		t.Error("a folder with a file is taken")
	}
	if _, err := os.Stat(stranger); err != nil {
		t.Errorf("the file is gone: %v", err)
	}
}
