package embedded

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// logFile is the file that Postgres writes its log to. The directory belongs to
// the account, so that what we open there must not be a link.
func (s *Server) logFile() string { return filepath.Join(s.home.data, "postgres.log") }

// bound empties a log that has grown past a MiB. Postgres appends to it, so it
// may be running.
func bound(log string) {
	f, err := os.OpenFile(log, os.O_WRONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return // there is none yet
	}
	defer f.Close()
	if size(log) > 1<<20 {
		_ = f.Truncate(0)
	}
}

func size(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// tail is what a log has to say after an offset.
func tail(log string, from int64) []byte {
	f, err := os.OpenFile(log, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.NewSectionReader(f, from, 64<<10))
	return text
}
