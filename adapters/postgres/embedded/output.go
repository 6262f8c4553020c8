package embedded

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// complaint picks the relevant lines of a program's output, as one line: the last error
// and its context, or else the last lines, or else the exit status. Often the line
// before the error names the port, the setting or the file.
func complaint(output []byte, exit error) string {
	var all, telling []string
	worst := 0 // number of relevant lines up to the last error
	for line := range strings.Lines(string(output)) {
		line = strings.Join(strings.Fields(stamp.ReplaceAllString(line, "")), " ")
		if line == "" || routine.MatchString(line) {
			continue
		}
		all = append(all, line)
		if !severity.MatchString(line) {
			continue
		}
		telling = append(telling, line)
		if bad.MatchString(line) {
			worst = len(telling)
		}
	}
	switch {
	case worst > 0:
		return lastOf(telling[:worst])
	case len(all) > 0:
		return lastOf(all)
	}
	return exit.Error()
}

// lastOf is the last lines in one.
func lastOf(lines []string) string {
	const shown = 4
	return strings.Join(lines[max(0, len(lines)-shown):], "; ")
}

var (
	stamp    = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ \S+ \[\d+\] `)
	bad      = regexp.MustCompile(`(FATAL|PANIC|ERROR|error):`)
	severity = regexp.MustCompile(`(LOG|WARNING|DETAIL|HINT|FATAL|PANIC|ERROR|error):`)
	routine  = regexp.MustCompile(`^LOG: (starting PostgreSQL|listening on|database system (was|is))|^Examine the log output`)
)

// logFile is Postgres's log file. The account owns the directory and could put a link
// there, so links are never followed.
func (s *Server) logFile() string { return filepath.Join(s.home.data, "postgres.log") }

// bound truncates a log over one MiB. Postgres may be running, because it only appends.
func bound(log string) {
	f, err := os.OpenFile(log, os.O_WRONLY|noFollow, 0)
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
	f, err := os.OpenFile(log, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.NewSectionReader(f, from, 64<<10))
	return text
}
