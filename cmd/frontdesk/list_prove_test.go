//go:build prove

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/provetest"
	"frontdesk/cmd/frontdesk/testworld"
)

// A list of one page, a long one, and how much more memory that may take, in MB. All of
// a long one would take some ten.
const (
	onePage   = 500
	manyPages = 40_000
	mayHold   = 5
)

var lists = [][]string{
	{"list-practices"},
	{"list-applications"},
	{"list-applications", "--tenant=practice-1"},
	{"list-webhooks"},
	{"list-staff", "--tenant=practice-1"},
	{"list-authorisations", "--tenant=practice-1"},
}

// A country has 6,300 practices. A list of many pages needs no more memory than one of one
// page.
func TestProveThatALongListIsReadByPages_D107(t *testing.T) { //nolint:paralleltest // it measures
	short, long := fullOf(t, onePage), fullOf(t, manyPages)
	for _, list := range lists {
		for _, form := range [][]string{nil, {"--json"}} {
			command := slices.Concat(list, form)
			few, little := printing(t, short, command)
			many, much := printing(t, long, command)
			if many-few != manyPages-onePage || little == 0 {
				t.Errorf("%v printed %d lines of %d, and %d of %d", command, few, onePage, many, manyPages)
			}
			provetest.Tried(t, few+many, "lines")
			t.Logf("%v: %.1f MB for %d, %.1f MB for %d", command, little, onePage, much, manyPages)
			if much > little+mayHold {
				t.Errorf("%v takes %.1f MB for %d, and %.1f MB for %d", command, little, onePage, much, manyPages)
			}
		}
	}
}

// fullOf is the URL of a database with that many of everything.
func fullOf(t *testing.T, many int) (url string) {
	t.Helper()
	database := postgrestest.New(t)
	pool := database.AdminPool(t)
	for _, statement := range []string{
		`INSERT INTO practices SELECT 'practice-' || n, 'Practice ' || n, 'Europe/London' FROM generate_series(1, $1::int) n`,
		`INSERT INTO applications SELECT md5('app' || n)::uuid, 'Application ' || n, 'https://app.example/' || n FROM generate_series(1, $1::int) n`,
		`INSERT INTO endpoint_grants SELECT md5('app' || n)::uuid, e, 'user-restricted' FROM generate_series(1, $1::int) n, unnest(ARRAY['create-note', 'book-appointment']) e`,
		`INSERT INTO webhooks SELECT md5('app' || n)::uuid, 'record.opened', 'https://app.example/hook', md5('destination' || n)::uuid FROM generate_series(1, $1::int) n`,
		`INSERT INTO enablements SELECT 'practice-1', md5('app' || n)::uuid FROM generate_series(1, $1::int) n`,
		`INSERT INTO staff (tenant, staff, username, name, email, administrator, credential)
			SELECT 'practice-1', md5('staff' || n)::uuid, 'user-' || n, 'User', 'user@practice.example', false, md5('staff' || n)::uuid FROM generate_series(1, $1::int) n`,
		`INSERT INTO authorisations SELECT 'practice-1', md5('app' || n)::uuid, md5('staff' || n)::uuid, '00000000-0000-0000-0000-000000000000', now() + interval '1 day'
			FROM generate_series(1, $1::int) n`,
	} {
		if _, err := pool.Exec(t.Context(), statement, many); err != nil {
			t.Fatalf("%.60q: %v", statement, err)
		}
	}
	return database.URL
}

// printing is how many lines a command prints, and its peak heap in MB. Go collects often, so
// that live memory is measured and not garbage.
func printing(t *testing.T, database string, command []string) (lines int, mb float64) {
	t.Helper()
	process := exec.CommandContext(t.Context(), testworld.Binary(t), append(command, "--database-url", database)...)
	process.Env = append(os.Environ(), "GOGC=10")
	var complaint bytes.Buffer
	process.Stderr = &complaint
	printed, err := process.StdoutPipe()
	if err == nil { // a small pipe, so that it does not end before its memory is read
		_, err = unix.FcntlInt(printed.(*os.File).Fd(), unix.F_SETPIPE_SZ, 4096)
	}
	if err == nil {
		err = process.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	for chunk := make([]byte, 16<<10); err == nil; {
		var n int
		n, err = printed.Read(chunk)
		lines += bytes.Count(chunk[:n], []byte("\n"))
		mb = max(mb, float64(peakOf(t, process.Process.Pid))/1e6) // 0 once it has ended
	}
	if err := process.Wait(); err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(command, " "), err, &complaint)
	}
	return lines, mb
}
