package embedded

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"frontdesk/adapters/durable"
)

// home is the location of a cluster. Its paths are absolute and without symbolic links,
// because they are compared with Postgres's lock files.
type home struct {
	dir     string   // the caller's directory
	data    string   // the cluster's data directory
	account *account // owns the data and runs Postgres
}

// elsewhere is the folder of data that its account cannot reach in dir. It survives a
// reboot; a temporary directory may not.
const elsewhere = "/var/lib/frontdesk"

// open creates dir if it is missing, and finds its data.
func open(dir string) (home, error) {
	if err := makeDir(dir); err != nil {
		return home{}, err
	}
	dir, err := canonical(dir)
	if err != nil {
		return home{}, err
	}
	h := home{dir: dir, data: follow(filepath.Join(dir, "postgres"))}
	// pg_ctl passes the path to a shell, in double quotes.
	if strings.ContainsAny(h.data, "\"$`\\\n") {
		return home{}, errors.New("Postgres needs a path without quotes, backslashes and dollar signs: choose another directory")
	}
	h.account, err = accountFor(h.data)
	return h, err
}

// follow resolves the data's path if it is a symbolic link, which may be dangling.
func follow(place string) string {
	if data, err := filepath.EvalSymlinks(place); err == nil {
		return data
	}
	if target, err := os.Readlink(place); err == nil && filepath.IsAbs(target) {
		return target
	}
	return place
}

func makeDir(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		return os.Chmod(dir, 0o711) // the account must be able to traverse it
	}
	return os.Chmod(dir, 0o700)
}

func canonical(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// settle makes sure that the account can reach the data. If it cannot enter dir (root's
// home is closed to others), the data moves out.
func (h *home) settle(ctx context.Context, program string) error {
	if h.account == nil {
		return nil
	}
	if err := removeOrphans(ctx); err != nil {
		return err
	}
	if h.moved() {
		return nil
	}
	if !h.account.enters(ctx, "/", program) {
		return fmt.Errorf("user %s cannot run %s: install Postgres where every user can reach it", h.account.name, program)
	}
	if h.account.enters(ctx, h.dir, program) {
		return nil
	}
	return h.moveOut(ctx)
}

// moveOut moves the data outside of dir and leaves a symbolic link in dir. The link
// ties the data to dir: if dir is removed with its link, the data is removed as well,
// now or when another cluster starts.
func (h *home) moveOut(ctx context.Context) error {
	link := h.data
	if _, err := os.Lstat(link); err == nil {
		return fmt.Errorf("user %s, who owns %s, can no longer enter %s: chmod o+x what leads there", h.account.name, link, h.dir)
	}
	h.data = h.outside()
	if err := h.claim(ctx); err != nil {
		return err
	}
	if err := h.remove(ctx); err != nil {
		return err
	}
	return os.Symlink(h.data, link)
}

// moved reports whether the data lives outside of dir.
func (h *home) moved() bool { return filepath.Dir(h.data) != h.dir }

// outside is the place of data that cannot live in dir.
func (h *home) outside() string { return filepath.Join(elsewhere, digest(h.dir)) }

// Remove stops the cluster of dir if it runs, and removes all its data. It fails
// with [durable.ErrInUse] while a [Server] owns the cluster.
func Remove(ctx context.Context, dir string) error {
	if err := remove(ctx, dir); err != nil {
		return fmt.Errorf("remove Postgres in %s: %w", dir, err)
	}
	return nil
}

// Data lists the paths of dir's data: in dir, or the target of its link. It is empty if
// there is none.
func Data(dir string) (paths []string, err error) {
	dir, err = canonical(dir)
	if err != nil {
		return nil, err
	}
	place := filepath.Join(dir, "postgres")
	if _, err := os.Lstat(place); err != nil {
		return nil, ignoreMissing(err)
	}
	if data := follow(place); data != place {
		paths = append(paths, data)
	}
	return append(paths, place), nil
}

func remove(ctx context.Context, dir string) error {
	h, err := open(dir)
	if err != nil {
		return err
	}
	lock, err := durable.Hold(h.lockFile(), os.O_CREATE)
	if err != nil {
		return err
	}
	defer lock.Close()
	if h.moved() && (filepath.Dir(h.data) != elsewhere || !same(h.lockFile(), markOf(h.data))) {
		return fmt.Errorf("the link to %s: %w", h.data, ErrForeign)
	}
	if err := firstError(h.remove(ctx), h.removeSockets()); err != nil {
		return err
	}
	if !h.moved() {
		return nil
	}
	return firstError(removeFile(markOf(h.data)), removeFile(filepath.Join(h.dir, "postgres")))
}

// ErrForeign means that a directory has data of another program, which stays.
var ErrForeign = errors.New("no sandbox made it: move it away, or choose another directory")

// own returns [ErrForeign] if the data exists and another program made it.
func (h *home) own() error {
	if _, err := os.Lstat(h.data); err != nil {
		return ignoreMissing(err)
	}
	settings, err := os.ReadFile(filepath.Join(h.data, "postgresql.conf"))
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(settings)), includeOwn) {
		return fmt.Errorf("%s: %w", h.data, ErrForeign) // also if it cannot be read: it stays
	}
	return nil
}

// remove stops a postmaster on the data. Then it removes the data and the incomplete
// clusters next to it.
func (h *home) remove(ctx context.Context) error {
	if err := h.own(); err != nil {
		return err
	}
	if p, ok := runningIn(h.data); ok {
		if err := p.end(ctx); err != nil {
			return err
		}
		_ = os.Remove(p.socket) // it is empty, or not ours
	}
	if err := firstError(os.RemoveAll(h.data), h.removeDrafts()); err != nil {
		return fmt.Errorf("remove data: %w", err)
	}
	return nil
}

// version is the major version that wrote the data; 0 if there is no data.
func (h *home) version() (int, error) {
	content, err := os.ReadFile(filepath.Join(h.data, "PG_VERSION"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("read data: %w", err)
	}
	digits, _, _ := strings.Cut(strings.TrimSpace(string(content)), ".") // 9.6 was the last with two numbers
	major, err := strconv.Atoi(digits)
	if err != nil {
		return 0, fmt.Errorf("%s is not a Postgres data directory: remove it", h.data)
	}
	return major, nil
}

// digest is a short name for a directory.
func digest(dir string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(dir)))[:12] }
