package main

import (
	"errors"
	"io/fs"
	"strings"

	"frontdesk/.ci/tree"
)

// survey measures the product's files.
func survey(files fs.FS) (*house, error) {
	names, err := tree.Files(files)
	if err != nil {
		return nil, err
	}
	h := newHouse()
	for _, name := range names {
		if !ofProduct(name) {
			continue
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "_test.go") {
			h.tests.add(source)
			continue
		}
		if err := h.add(name, source); err != nil {
			return nil, err
		}
	}
	if len(h.files) == 0 {
		return nil, errors.New("no production Go files here: run it in the project's own folder")
	}
	return h, nil
}

// ofProduct reports whether a path is that of a Go file of the product and its
// tools. Clients, benchmarks and examples are modules of their own.
func ofProduct(name string) bool {
	for _, module := range []string{"bench/", "client/", "docs/"} {
		if strings.HasPrefix(name, module) {
			return false
		}
	}
	return strings.HasSuffix(name, ".go")
}
