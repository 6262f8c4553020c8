package proofs

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// butThePages leaves the tables out: proofs change them.
var butThePages = []string{".", ":(exclude)" + Page, ":(exclude)" + Drills}

// Commit returns the commit of the clone in a folder, shortened, with [Dirty] behind it if any file
// except [Page] and [Drills] differs from that commit.
func Commit(ctx context.Context, root string) (string, error) {
	head, err := git(ctx, root, "rev-parse", "--short=10", "HEAD")
	if err != nil {
		return "", err
	}
	changed, err := git(ctx, root, append([]string{"status", "--porcelain", "--"}, butThePages...)...)
	if err != nil {
		return "", err
	}
	if changed != "" {
		head += Dirty
	}
	return head, nil
}

// IsCurrent reports whether a proof that ran at a commit ran with the files that the clone in a
// folder has now. So does one at an earlier commit, if only [Page] and [Drills] differ: the tables are
// committed after the proofs have run.
func IsCurrent(ctx context.Context, root, commit string) (bool, error) {
	if strings.HasSuffix(commit, Dirty) {
		return false, nil
	}
	for _, question := range [][]string{
		{"cat-file", "-e", commit + "^{commit}"},
		{"merge-base", "--is-ancestor", commit, "HEAD"},
		append([]string{"diff", "--quiet", commit, "--"}, butThePages...),
	} {
		_, err := git(ctx, root, question...)
		if _, says := errors.AsType[*exec.ExitError](err); says {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func git(ctx context.Context, root string, args ...string) (string, error) {
	output, err := exec.CommandContext(ctx, "git", append([]string{"-C", root}, args...)...).Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(output)), nil
}
