package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// The files that operators read, run or copy. The rest of the archive is the files that these link
// to.
var begins = []string{"LICENSE", "CHANGELOG.md", "Dockerfile", "docs/operate/"}

// A link says where it leads, or a line of the page does: "[D1]: decisions/0001-….md".
var link = regexp.MustCompile(`(?m)\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$`)

// closure returns the files of the archive out of those of the clone, by their paths in both: from
// the first pages, each link leads to another file of the archive.
func closure(tracked []string) (files []file, err error) {
	known := map[string]bool{}
	next := slices.Clone(begins)
	for len(next) > 0 {
		among := filesAt(tracked, next[0])
		if len(among) == 0 {
			return nil, fmt.Errorf("%s is not in the clone", next[0])
		}
		next = next[1:]
		for _, name := range among {
			if known[name] {
				continue
			}
			known[name] = true
			f, links, err := read(name)
			if err != nil {
				return nil, err
			}
			files, next = append(files, f), append(next, links...)
		}
	}
	return files, nil
}

// filesAt returns the file of a name, or the files of a folder.
func filesAt(tracked []string, name string) (files []string) {
	folder := strings.TrimSuffix(name, "/") + "/"
	for _, file := range tracked {
		if file == name || strings.HasPrefix(file, folder) {
			files = append(files, file)
		}
	}
	return files
}

// read returns a file, and the targets of its links if it is a page.
func read(name string) (f file, links []string, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return file{}, nil, fmt.Errorf("read a file of the archive: %w", err)
	}
	f = file{name, name, 0o644}
	if info.Mode()&0o100 != 0 {
		f.mode = 0o755
	}
	if path.Ext(name) != ".md" {
		return f, nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return file{}, nil, fmt.Errorf("read a page of the archive: %w", err)
	}
	return f, linksOf(name, string(text)), nil
}

// linksOf returns the files that a page links to, from the top of the clone.
func linksOf(page, text string) (links []string) {
	for _, found := range link.FindAllStringSubmatch(text, -1) {
		target, _, _ := strings.Cut(found[1]+found[2], "#")
		if target == "" || strings.Contains(target, ":") {
			continue
		}
		links = append(links, path.Join(path.Dir(page), target))
	}
	return links
}
