package embedded

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// complaint picks the line of a program's output that says what went wrong: the
// last error, or else the last line, or else the exit status.
func complaint(output []byte, exit error) string {
	last, worst := "", ""
	for line := range strings.Lines(string(output)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		if bad(line) {
			worst = line
		}
	}
	switch {
	case worst != "":
		return worst
	case last != "":
		return last
	}
	return exit.Error()
}

func bad(line string) bool {
	for _, word := range []string{"FATAL:", "PANIC:", "ERROR:", "error:"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// logFile is the file that Postgres writes its log to. The account owns the
// directory and could put a link there, so links are never followed.
func (s *Server) logFile() string { return filepath.Join(s.home.data, "postgres.log") }

// bound empties a log that has grown past a MiB. Postgres may be running,
// because it only appends.
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

// tail reads a log from an offset, at most 64 KiB.
func tail(log string, from int64) []byte {
	f, err := os.OpenFile(log, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.NewSectionReader(f, from, 64<<10))
	return text
}
