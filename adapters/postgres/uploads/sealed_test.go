package uploads_test

import (
	"errors"
	"strings"
	"testing"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/sealing"
	"frontdesk/domain/event"
)

func TestASealedFileReadsBackAsItWasSent(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	large := strings.Repeat("x", 256<<10)
	for _, parts := range [][]string{{"a"}, {large}, {large, "abc"}, {large, large, large}} {
		id := c.keep(t, parts...)
		if got, err := c.open(t, elm, c.named[id]); err != nil || got != strings.Join(parts, "") {
			t.Errorf("%d parts: %d bytes are read, %v", len(parts), len(got), err)
		}
	}
	var plain int
	err := c.pool.QueryRow(t.Context(), `SELECT count(*) FROM upload_chunks WHERE position('xxxxxxxx'::bytea IN data) > 0`).Scan(&plain)
	if err != nil || plain > 0 {
		t.Errorf("%d parts are not encrypted, %v", plain, err)
	}
}

// A writer of the tables can spoil a file, but not replace it, even by one of a fitting size
// and digest.
func TestASealedFileThatWasAlteredIsNotRead(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	for _, alter := range []string{
		`UPDATE upload_chunks SET data = set_byte(data, 17, get_byte(data, 17) # 1) WHERE n = 1`,
		`DELETE FROM upload_chunks WHERE n = 2`,
		`DELETE FROM upload_chunks WHERE n > 0`,
		`DELETE FROM upload_chunks WHERE n = 0`,
		`UPDATE upload_chunks SET n = CASE n WHEN 0 THEN 11 ELSE 10 END WHERE n < 2; UPDATE upload_chunks SET n = n - 10 WHERE n >= 10`,
		`INSERT INTO upload_chunks SELECT tenant, upload, 3, data FROM upload_chunks WHERE n = 1`,
		`UPDATE upload_chunks SET data = (SELECT data FROM upload_chunks WHERE n = 0) WHERE n = 1`,
	} {
		id := c.keep(t, "abc", "def", "ghi")
		enginetest.MustExec(t, c.admin, alter)
		file, sum := c.named[id], []byte(nil)
		err := c.pool.QueryRow(t.Context(), `SELECT 3 * count(*), sha256(string_agg(data, ''::bytea ORDER BY n)) FROM upload_chunks`).
			Scan(&file.Size, &sum)
		if err != nil {
			t.Fatal(err)
		}
		file.SHA256 = event.Digest(sum)
		if got, err := c.open(t, elm, file); !errors.Is(err, uploads.ErrAlteredFile) {
			t.Errorf("%s: read %q, %v", alter, got, err)
		}
		enginetest.MustExec(t, c.admin, `DELETE FROM uploads`)
	}
}

func TestAFileOpensOnlyAsItsEventSays(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	here, there := c.keep(t, "abc"), c.keepAt(t, "oak-lane", "abc")
	file := c.named[here]
	for key, want := range map[string]error{
		c.named[there].Key: uploads.ErrAlteredFile,
		"":                 sealing.ErrNotAKey,
		event.Hidden:       uploads.ErrSealedFile,
		event.Erased:       uploads.ErrErasedFile,
		"abc":              sealing.ErrNotAKey,
	} {
		file.Key = key
		if got, err := c.open(t, elm, file); !errors.Is(err, want) || got != "" {
			t.Errorf("with the key %q, %q is read, %v", key, got, err)
		}
	}
}
