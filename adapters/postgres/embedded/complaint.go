package embedded

import "strings"

// complaint picks the line of a program's output that says what went wrong:
// the last one of an error, else the last of all, else the exit status.
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
