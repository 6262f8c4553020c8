package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"frontdesk/.ci/tree"
)

// scan finds the markers of all files. They are counted by page, by template,
// and by package: its comments and its texts.
func scan(files fs.FS) (map[string][]hit, error) {
	names, err := tree.Files(files)
	if err != nil {
		return nil, err
	}
	found := map[string][]hit{}
	for _, name := range names {
		if !read(name) {
			continue
		}
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if err := scanFile(found, name, source); err != nil {
			return nil, err
		}
	}
	for _, hits := range found {
		slices.SortStableFunc(hits, func(a, b hit) int {
			return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
		})
	}
	return found, nil
}

// read reports whether people read a file: a page, a template or production Go.
func read(name string) bool {
	switch path.Ext(name) {
	case ".md", ".html":
		return true
	case ".go":
		return !strings.HasSuffix(name, "_test.go")
	}
	return false
}

func scanFile(found map[string][]hit, name string, source []byte) error {
	add := func(group string, all ...prose) {
		for _, p := range all {
			if hits := p.hits(name); len(hits) > 0 {
				found[group] = append(found[group], hits...)
			}
		}
	}
	switch path.Ext(name) {
	case ".md":
		add(name, paragraphs(linesOf(string(source)))...)
	case ".html":
		add(name, templateText(string(source)))
	case ".go":
		comments, texts, err := goFile(name, source)
		if err != nil {
			return fmt.Errorf("read Go: %w", err)
		}
		add(path.Dir(name)+": comments", comments...)
		add(path.Dir(name)+": texts", texts...)
	}
	return nil
}

// added are the hits that were not there before, by their words and the words around them.
func added(before, now []hit) []hit {
	type key struct {
		marker  *marker
		context string
	}
	known := map[key]int{}
	for _, h := range before {
		known[key{h.marker, h.context}]++
	}
	var all []hit
	for _, h := range now {
		k := key{h.marker, h.context}
		if known[k] == 0 {
			all = append(all, h)
			continue
		}
		known[k]--
	}
	return all
}
