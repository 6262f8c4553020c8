//go:build prove

package trouble_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/provetest"
)

// Power loss takes everything that no flush has brought to the disk. After a crash by
// SIGKILL, the kernel still has Postgres's writes, so they have to be removed.
//
// For a moment everything is halted except one session, which returns the flushed end of the
// write-ahead log. Between that answer and the kill, no client can learn of a commit or act
// on one. Then the log's files are emptied from there on. The tables' files keep their
// writes: no page of them is newer than the flushed log, and the disk may have had them.

// losePower crashes Postgres, and starts it on the files that a power cut would leave.
func (c *cluster) losePower(ctx context.Context, away time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for range 5 {
		flushed, halted, err := c.freezeAll(ctx)
		if err == nil {
			c.kill(halted)
			if err := c.cutLog(flushed); err != nil {
				c.t.Errorf("cut the write-ahead log: %v", err)
			}
			return c.restartAfter(ctx, away)
		}
		c.resume(halted)
		wait(ctx, 50*time.Millisecond)
	}
	return errors.New("the log's flushed end could not be seen") // a halted process held a lock that the query needs
}

const flushedEnd = `SELECT (pg_current_wal_flush_lsn() - '0/0')::bigint`

// freezeAll halts all processes, and returns up to where the log was flushed then.
func (c *cluster) freezeAll(ctx context.Context) (flushed int64, halted []int, err error) {
	conn, err := pgx.Connect(ctx, c.admin())
	if err != nil {
		return 0, nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var ready int64
	if err := conn.QueryRow(ctx, flushedEnd).Scan(&ready); err != nil { // all that the question needs is now in memory
		return 0, nil, err
	}
	halted = c.halt(int(conn.PgConn().PID()))
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err = conn.QueryRow(ctx, flushedEnd).Scan(&flushed)
	return flushed, halted, err
}

const segmentSize = 16 << 20

// cutLog empties the write-ahead log from a place on.
func (c *cluster) cutLog(from int64) error {
	segment, offset := from/segmentSize, from%segmentSize
	dir := filepath.Join(c.data, "pg_wal")
	name := fmt.Sprintf("%08X%08X%08X", 1, segment/256, segment%256)
	later, err := filepath.Glob(filepath.Join(dir, "00000001????????????????"))
	if err != nil {
		return err
	}
	for _, path := range later {
		if filepath.Base(path) > name {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return errors.Join(err, zero(filepath.Join(dir, name), offset))
}

// zero overwrites a segment from an offset on.
func zero(path string, from int64) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if errors.Is(err, os.ErrNotExist) && from == 0 {
		return nil // the log ends where a segment ends, and the next one was not begun
	}
	if err != nil {
		return err
	}
	_, err = file.WriteAt(make([]byte, segmentSize-from), from)
	return errors.Join(err, file.Close())
}

// Flushed data is there after a power cut, and unflushed data is gone. Autovacuum may flush
// at any moment, so the data that should be gone has several chances.
func TestProvePowerCutTakesUnflushedData(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.must(`CREATE TABLE words (word text, flushed bool)`)
	for n := 1; ; n++ {
		c.must(`INSERT INTO words VALUES ('kept', true)`)
		c.must(`SET synchronous_commit = off; INSERT INTO words VALUES ('lost', false)`)
		must(t, c.losePower(t.Context(), 0))
		if got := ask[int](c, `SELECT count(*) FROM words WHERE flushed`); got != n {
			t.Fatalf("%d of %d flushed rows are there", got, n)
		}
		if got := ask[int](c, `SELECT count(*) FROM words WHERE NOT flushed`); got < n {
			provetest.Tried(t, n, "power cuts")
			return
		}
		if n == 10 {
			t.Fatal("ten power cuts have taken nothing")
		}
	}
}
