package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"frontdesk/.ci/proofs"
)

// proved returns an error unless docs/contribute/nightly.md shows that each proof of the clone in a folder has
// passed with the present files. The table is committed after the proofs have run, so its rows may
// name an earlier commit that differs only in the table.
func proved(ctx context.Context, root string) error {
	rows, err := proofs.Read(root)
	if err != nil {
		return err
	}
	wanted, err := proofs.Find(os.DirFS(root))
	if err != nil {
		return fmt.Errorf("look for proofs: %w", err)
	}
	doubts := proofs.Doubts(rows, wanted)
	current := map[string]bool{}
	for _, row := range rows {
		is, known := current[row.Commit]
		if !known {
			if is, err = proofs.IsCurrent(ctx, root, row.Commit); err != nil {
				return err
			}
			current[row.Commit] = is
		}
		if !is {
			doubts = append(doubts, fmt.Sprintf("%s in %s: it ran at %s, with other files", row.Name, row.Folder, row.Commit))
		}
	}
	if len(doubts) > 0 {
		return fmt.Errorf("these proofs are not shown to hold (make prove):\n%s", strings.Join(doubts, "\n"))
	}
	return nil
}

// tagged returns an error unless the commit of the clone in a folder has the tag of its version,
// and CHANGELOG.md has a section for it.
func tagged(ctx context.Context, root string) error {
	text, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return fmt.Errorf("read the version: %w", err)
	}
	version := strings.TrimSpace(string(text))
	tags, err := command(ctx, root, nil, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Fields(tags), "v"+version) {
		return fmt.Errorf("the commit does not have the tag v%s, the version in VERSION: tag it, or change VERSION", version)
	}
	changes, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		return fmt.Errorf("read the changes: %w", err)
	}
	if !strings.Contains(string(changes), "\n## ["+version+"]") {
		return fmt.Errorf("CHANGELOG.md has no section [%s]: name the unreleased one so", version)
	}
	return nil
}
