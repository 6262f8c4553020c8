package uploads_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/adapters/postgres/uploads"
	"frontdesk/adapters/sealing"
	"frontdesk/domain"
	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

const elm = "elm-street"

// cabinet is a store of files, with the store of the events that name them.
type cabinet struct {
	*uploads.Store
	pool  *pgxpool.Pool
	store *eventstore.Store
	admin *pgxpool.Pool
	named map[request.AttachmentID]request.Attachment // as an event names it
}

func newCabinet(t *testing.T) cabinet {
	t.Helper()
	db := postgrestest.New(t)
	codec, err := event.NewCodec(domain.Events()...)
	if err != nil {
		t.Fatal(err)
	}
	pool := db.Pool(t)
	return cabinet{
		&uploads.Store{DB: postgres.On(pool), Now: enginetest.AtNoon}, pool,
		&eventstore.Store{DB: postgres.On(pool), Codec: codec, Now: enginetest.AtNoon, AtOnce: []projections.Projection{projections.Attachments{}}},
		db.AdminPool(t), map[request.AttachmentID]request.Attachment{},
	}
}

// keep stores a file of the practice in parts.
func (c cabinet) keep(t *testing.T, parts ...string) request.AttachmentID {
	t.Helper()
	return c.keepAt(t, elm, parts...)
}

// keepAt stores a file of a practice in parts.
func (c cabinet) keepAt(t *testing.T, tenant string, parts ...string) request.AttachmentID {
	t.Helper()
	key, id := sealing.NewKey(), request.AttachmentID{UUID: event.NewID()}
	file, err := key.File(tenant, id.UUID)
	if err != nil {
		t.Fatal(err)
	}
	sum, size := sha256.New(), 0
	for n, part := range parts {
		sealed := file.Seal([]byte(part), n, n == len(parts)-1)
		if err := c.AddChunk(t.Context(), tenant, id, n, sealed); err != nil {
			t.Fatal(err)
		}
		sum.Write(sealed)
		size += len(part)
	}
	c.named[id] = request.Attachment{ID: id, Size: int64(size), SHA256: event.Digest(sum.Sum(nil)), Key: key.Base64()}
	return id
}

// name appends an event that names files.
func (c cabinet) name(ctx context.Context, ids ...request.AttachmentID) error {
	submitted := request.Submitted{Patient: patient.ID{UUID: uuid.New()}}
	for _, id := range ids {
		submitted.Attachments = append(submitted.Attachments, request.Attachment{ID: id, Size: 6, SHA256: sha256.Sum256([]byte("abcdef"))})
	}
	_, err := c.store.Append(ctx, event.Change{Stream: enginetest.NewStream(), Events: []event.Event{submitted}})
	return err
}

func (c cabinet) mustName(t *testing.T, ids ...request.AttachmentID) {
	t.Helper()
	if err := c.name(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
}

// read returns the stored file; "" if there is none.
func (c cabinet) read(t *testing.T, tenant string, id request.AttachmentID) string {
	t.Helper()
	content, err := c.open(t, tenant, c.named[id])
	if err != nil && (content != "" || !errors.Is(err, uploads.ErrAlteredFile)) {
		t.Fatal(err)
	}
	return content
}

func (c cabinet) open(t *testing.T, tenant string, file request.Attachment) (string, error) {
	t.Helper()
	r, err := c.Open(t.Context(), tenant, file)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(r)
	return string(content), err
}

func (c cabinet) count(t *testing.T, table string) (n int) {
	t.Helper()
	if err := c.pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAFileReadsBackAsItWasKept(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	large := strings.Repeat("x", 256<<10)
	id := c.keep(t, large, large, "abc")

	if got := c.read(t, elm, id); got != large+large+"abc" {
		t.Errorf("%d bytes are read", len(got))
	}
	if got := c.read(t, "oak-lane", id); got != "" { // D18
		t.Errorf("another practice reads %q", got)
	}
	none := c.named[id]
	none.ID.UUID = uuid.New()
	if got, err := c.open(t, elm, none); got != "" || !errors.Is(err, uploads.ErrAlteredFile) {
		t.Errorf("of no file, %q is read, %v", got, err)
	}
}

func TestAPartIsKeptOnce(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	id := c.keep(t, "abc")
	for n := range 2 {
		if err := c.AddChunk(t.Context(), elm, id, 0, []byte("xyz")); err == nil {
			t.Errorf("attempt %d overwrites", n)
		}
	}
	if err := c.AddChunk(t.Context(), elm, request.AttachmentID{UUID: uuid.New()}, 1, []byte("xyz")); err == nil {
		t.Error("a file begins in its middle")
	}
	if got := c.read(t, elm, id); got != "abc" {
		t.Errorf("%q is read", got)
	}
}

func TestEventCannotNameMissingFile(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	here, gone := c.keep(t, "abc"), request.AttachmentID{UUID: uuid.New()}

	err := c.name(t.Context(), here, gone)
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Unavailable {
		t.Errorf("error %v", err)
	}
	if events, named := c.count(t, "events"), c.count(t, "attachments"); events+named > 0 {
		t.Errorf("%d events, %d of their files are there", events, named)
	}
}

func TestOnlyUnnamedFilesAreDiscarded(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	named, unnamed, other := c.keep(t, "abc", "def"), c.keep(t, "abc", "def"), c.keep(t, "ghi")
	c.mustName(t, named)

	if err := c.Discard(t.Context(), "oak-lane", []request.AttachmentID{unnamed}); err != nil || c.read(t, elm, unnamed) == "" {
		t.Errorf("another practice discards it, %v", err)
	}
	if err := c.Discard(t.Context(), elm, []request.AttachmentID{named, unnamed}); err != nil {
		t.Fatal(err)
	}
	if got := c.read(t, elm, named) + c.read(t, elm, unnamed) + c.read(t, elm, other); got != "abcdefghi" {
		t.Errorf("%q is left", got)
	}
	if uploads, parts := c.count(t, "uploads"), c.count(t, "upload_chunks"); uploads != 2 || parts != 3 {
		t.Errorf("%d files in %d parts are left", uploads, parts)
	}
}

func TestUnnamedFileIsSweptAfterADay(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	named, unnamed := c.keep(t, "abc"), c.keep(t, "def")
	c.mustName(t, named)
	sweeper := uploads.Sweeper{DB: postgres.On(c.pool), Uploads: c.Store, Log: slog.New(slog.DiscardHandler)}
	sweep := func(after time.Duration) {
		sweeper.Now = func() time.Time { return enginetest.Noon.Add(after) }
		sweeper.RealNow = sweeper.Now
		if err := sweeper.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}

	if sweep(24 * time.Hour); c.read(t, elm, unnamed) != "def" {
		t.Error("swept within the day")
	}
	if sweep(24*time.Hour + time.Microsecond); c.read(t, elm, unnamed) != "" || c.read(t, elm, named) != "abc" {
		t.Error("the wrong one was swept")
	}
	err := c.AddChunk(t.Context(), elm, unnamed, 1, []byte("ghi"))
	if err == nil || c.count(t, "upload_chunks") != 1 {
		t.Errorf("a swept upload goes on: %v", err)
	}
	if err := c.name(t.Context(), unnamed); err == nil || !strings.Contains(err.Error(), "What was sent has been waiting for too long. Send it again.") {
		t.Errorf("an event names a swept file: %v", err)
	}
}

// Whether the sweep or the event comes first, an event's file is there.
func TestNamingExcludesDiscarding(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	for range 50 {
		id := c.keep(t, "abcdef")
		var named error
		var group sync.WaitGroup
		group.Go(func() { named = c.name(context.WithoutCancel(t.Context()), id) })
		group.Go(func() { _ = c.Discard(context.WithoutCancel(t.Context()), elm, []request.AttachmentID{id}) })
		group.Wait()
		if kept := c.read(t, elm, id) == "abcdef"; kept != (named == nil) {
			t.Fatalf("kept: %v, and naming it: %v", kept, named)
		}
	}
}

// The serving role cannot change a file that an event names.
func TestFileCannotBeChanged(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	c.mustName(t, c.keep(t, "abc"))
	for sql, code := range map[string]string{
		`UPDATE upload_chunks SET data = 'x'`:                                  "42501",
		`DELETE FROM upload_chunks`:                                            "42501",
		`TRUNCATE upload_chunks`:                                               "42501",
		`UPDATE uploads SET started_at = now()`:                                "42501",
		`TRUNCATE uploads CASCADE`:                                             "42501",
		`DELETE FROM uploads`:                                                  "23503",
		`INSERT INTO upload_chunks SELECT tenant, upload, 0, 'x' FROM uploads`: "23505",
	} {
		_, err := c.pool.Exec(t.Context(), sql)
		if refused, ok := errors.AsType[*pgconn.PgError](err); !ok || refused.Code != code {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestAFileIsReadOnePartAtATime(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	id := c.keep(t, "abc", "def")
	r, err := c.Open(t.Context(), elm, c.named[id])
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for range 2 {
		part := make([]byte, 100)
		n, err := r.Read(part)
		if err != nil || n != 3 {
			t.Fatalf("%d bytes, %v", n, err)
		}
		got.Write(part[:n])
	}
	if _, err := r.Read(make([]byte, 1)); got.String() != "abcdef" || !errors.Is(err, io.EOF) {
		t.Errorf("read %q, then %v", &got, err)
	}
}
