package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"frontdesk/.ci/proofs"
	"frontdesk/adapters/provetest"
)

// ended begins the line about a process that ended with an error.
const ended = "nightly: the process ended:"

var (
	attribute  = regexp.MustCompile(`=== ATTR  (\S+) ` + provetest.TriedKey + ` (\d+) (.+)`)
	executions = regexp.MustCompile(`fuzz: elapsed: \S+, execs: (\d+)`)
	message    = regexp.MustCompile(`(?m)^\s*\w+_test\.go:\d+: (.+)$`)
	panicked   = regexp.MustCompile(`(?m)^(?:panic|fatal error): (.+)$`)
)

// judge reads the counts and the result of a proof from its output.
func judge(p proofs.Proof, output string) (tried, result string) {
	counts := countsOf(p, output)
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[what], what))
	}
	tried = strings.Join(parts, ", ")
	own := "\n" + output
	passed := strings.Contains(own, "\n--- PASS: "+p.Name+" (") || p.Fuzzes() && strings.Contains(own, "\nPASS\n")
	switch {
	case strings.Contains(own, "\n--- SKIP: "+p.Name+" ("):
		return tried, "failed: skipped: " + reason(output)
	case !passed || strings.Contains(own, "\n"+ended):
		return tried, "failed: " + reason(output)
	case tried == "":
		return "", "failed: it tried nothing"
	}
	return tried, proofs.Passed
}

// countsOf adds up the counts of a proof and its subtests.
func countsOf(p proofs.Proof, output string) map[string]int {
	counts := map[string]int{}
	if p.Fuzzes() {
		for _, line := range executions.FindAllStringSubmatch(output, -1) {
			counts["executions"], _ = strconv.Atoi(line[1]) // the expression matches digits only
		}
		if counts["executions"] == 0 {
			clear(counts)
		}
		return counts
	}
	for _, line := range attribute.FindAllStringSubmatch(output, -1) {
		if test, _, _ := strings.Cut(line[1], "/"); test == p.Name {
			n, _ := strconv.Atoi(line[2])
			counts[strings.TrimSpace(line[3])] += n
		}
	}
	return counts
}

const longestReason = 120

// reason returns in one line why a proof failed: its panic, or its last log line.
func reason(output string) string {
	why := "it says nothing"
	if all := message.FindAllStringSubmatch(output, -1); len(all) > 0 {
		why = all[len(all)-1][1]
	}
	if first := panicked.FindStringSubmatch(output); first != nil {
		why = first[1]
	}
	if letters := []rune(why); len(letters) > longestReason {
		why = string(letters[:longestReason]) + "…"
	}
	return why
}
