package main

import (
	"context"
	"fmt"
	"os"
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
