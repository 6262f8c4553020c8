package accesslog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

func TestTheAccessRecordIsFiltered_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	app, lee, ann := application.ID{UUID: uuid.New()}, staff.ID{UUID: uuid.New()}, patient.ID{UUID: uuid.New()}
	calls := make([]access.Call, 5)
	for i, change := range []func(*access.Call){
		func(c *access.Call) { c.Tenant, c.Staff = "oak-lane", lee },
		func(c *access.Call) { c.Application, c.Status = app, 503 },
		func(c *access.Call) { c.Staff, c.Status = lee, 403 },
		func(c *access.Call) { c.Patient, c.Endpoint = ann, access.CreatePatientRequest },
		func(c *access.Call) { c.At = c.At.Add(time.Microsecond) },
	} {
		calls[i] = aPing()
		change(&calls[i])
		r.Record(calls[i])
	}
	r.runOnce(t)
	for name, c := range map[string]struct {
		filter accesslog.CallFilter
		want   []int
	}{
		"everything":       {accesslog.CallFilter{}, []int{0, 1, 2, 3, 4}},
		"request":          {accesslog.CallFilter{RequestID: calls[2].RequestID}, []int{2}},
		"before":           {accesslog.CallFilter{Before: calls[2].RequestID}, []int{0, 1}},
		"tenant":           {accesslog.CallFilter{Tenant: "elm-street"}, []int{1, 2, 3, 4}},
		"application":      {accesslog.CallFilter{Application: app}, []int{1}},
		"staff":            {accesslog.CallFilter{Staff: lee}, []int{0, 2}},
		"unknown staff":    {accesslog.CallFilter{Staff: staff.ID{UUID: uuid.New()}}, nil},
		"patient":          {accesslog.CallFilter{Patient: ann}, []int{3}},
		"endpoint":         {accesslog.CallFilter{Endpoint: access.Ping}, []int{0, 1, 2, 4}},
		"allowed":          {accesslog.CallFilter{StatusUntil: 400}, []int{0, 3, 4}},
		"refused":          {accesslog.CallFilter{StatusFrom: 400, StatusUntil: 500}, []int{2}},
		"failed":           {accesslog.CallFilter{StatusFrom: 500}, []int{1}},
		"since":            {accesslog.CallFilter{Since: recordedAt.Add(time.Microsecond)}, []int{4}},
		"until, exclusive": {accesslog.CallFilter{Until: recordedAt.Add(time.Microsecond)}, []int{0, 1, 2, 3}},
		"two of them":      {accesslog.CallFilter{Tenant: "elm-street", StatusUntil: 400}, []int{3, 4}},
	} {
		var got []int
		for _, found := range r.written(t, c.filter) {
			got = append(got, slices.IndexFunc(calls, func(c access.Call) bool { return c.RequestID == found.RequestID }))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: calls %v, want %v", name, got, c.want)
		}
	}
}

func TestAccessRecordReadingResumes_D37(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	var want, got []uuid.UUID
	for range 7 {
		c := aPing()
		r.Record(c)
		want = append([]uuid.UUID{c.RequestID}, want...)
	}
	r.runOnce(t)
	for range want {
		var filter accesslog.CallFilter
		if len(got) > 0 {
			filter.Before = got[len(got)-1]
		}
		for c, err := range r.read.Calls(t.Context(), filter) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, c.RequestID)
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("read %v, want %v", got, want)
	}
}

// A long record is read by its indexes, newest first, without sorting.
func TestTheAccessRecordIsReadByIndex(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	enginetest.MustExec(t, r.db.AdminPool(t), `
		INSERT INTO access_record
		SELECT gen_random_uuid(), timestamptz '2026-03-02' + n * interval '1 second', 'tenant-' || n % 1000, gen_random_uuid(),
			'application-restricted', NULL, 'ping', CASE WHEN n % 2 = 0 THEN md5((n % 5000)::text)::uuid END, 200, '', '', NULL, '\x00'
		FROM generate_series(1, 50000) n`)
	enginetest.MustExec(t, r.db.AdminPool(t), `ANALYZE access_record`)
	for name, c := range map[string]struct {
		filter accesslog.CallFilter
		index  string
	}{
		"everything": {accesslog.CallFilter{}, "access_record_default_pkey"},
		"a page":     {accesslog.CallFilter{Before: event.NewID()}, "access_record_default_pkey"},
		"one call":   {accesslog.CallFilter{RequestID: event.NewID()}, "access_record_default_pkey"},
		"a practice": {accesslog.CallFilter{Tenant: "tenant-7"}, "access_record_default_tenant"},
		"a patient":  {accesslog.CallFilter{Patient: patient.ID{UUID: uuid.New()}}, "access_record_default_patient"},
		"a minute":   {accesslog.CallFilter{Since: recordedAt, Until: recordedAt.Add(time.Minute)}, "access_record_default_at"},
	} {
		rows, _ := r.Pool.Query(t.Context(), "EXPLAIN "+accesslog.ReadCalls(c.filter), accesslog.CallArgs(c.filter, 100)...)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(plan, "\n"); !strings.Contains(text, c.index) || strings.Contains(text, "Seq Scan on access_record") {
			t.Errorf("%s is not read by %s:\n%s", name, c.index, text)
		}
	}
}

// With any number of months, each is read by its indexes, and one call only in its month.
func TestPartitionsAreReadByIndex_D72(t *testing.T) {
	t.Parallel()
	r := newRegister(t)
	admin := r.db.AdminPool(t)
	for _, digit := range "0123456789abcde" {
		enginetest.MustExec(t, admin, fmt.Sprintf(`CREATE TABLE access_record_%[1]c PARTITION OF access_record
			FOR VALUES FROM ('%[1]c0000000-0000-0000-0000-000000000000') TO ('%[1]cfffffff-ffff-ffff-ffff-ffffffffffff')`, digit))
	}
	enginetest.MustExec(t, admin, `
		INSERT INTO access_record (request_id, at, tenant, application, mode, endpoint, patient, status, code, reason, token_hash)
		SELECT md5(n::text)::uuid, timestamptz '2026-03-02' + n * interval '1 second', 'tenant-' || n % 1000, gen_random_uuid(), 'application-restricted', 'ping',
			CASE WHEN n % 2 = 0 THEN md5((n % 5000)::text)::uuid END, 200, '', '', '\x00'
		FROM generate_series(1, 50000) n`)
	enginetest.MustExec(t, admin, `ANALYZE access_record`)
	for name, c := range map[string]struct {
		filter accesslog.CallFilter
		tables int
	}{
		"everything": {accesslog.CallFilter{}, 16},
		"one call":   {accesslog.CallFilter{RequestID: uuid.MustParse("50000000-0000-4000-8000-000000000000")}, 1},
		"a page":     {accesslog.CallFilter{Before: uuid.MustParse("50000000-0000-4000-8000-000000000000")}, 7},
		"a practice": {accesslog.CallFilter{Tenant: "tenant-7"}, 16},
		"a patient":  {accesslog.CallFilter{Patient: patient.ID{UUID: uuid.New()}}, 32}, // calls, and looks
	} {
		rows, _ := r.Pool.Query(t.Context(), "EXPLAIN "+accesslog.ReadCalls(c.filter), accesslog.CallArgs(c.filter, 100)...)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "\n")
		if got := strings.Count(text, " on access_record_") - strings.Count(text, "Bitmap Index Scan"); got != c.tables || strings.Contains(text, "Seq Scan") {
			t.Errorf("%s is read in %d tables, want %d, and by index:\n%s", name, got, c.tables, text)
		}
	}
}
