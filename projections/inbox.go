package projections

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// Inbox keeps the requests of each practice as staff see them in lists. It follows the
// feed. Names and texts stay in the events.
type Inbox struct{ DB Querier }

// InboxRow is a request in a list.
type InboxRow struct {
	Request         request.ID
	Patient         patient.ID // the current link
	Type            request.Type
	Urgent, ByProxy bool
	Files           int
	SubmittedAt     time.Time
	Holder          staff.ID     // the member who has it, or has completed it; zero for none
	Team            staff.TeamID // the team that has it; zero for none
	HolderName      string       // "" if no one has it
	HolderLeft      bool         // the holder is no longer active
	Until           string       // the date until which it was put off, which may have come; "" for none
	DoneAt          *time.Time   // nil unless it is done
	Outcome         request.Outcome
	InError         bool  // it was marked as entered in error
	Idx             int64 // of its submission, in the log
}

// Name returns the permanent name, under which the feed keeps its offset.
func (Inbox) Name() string { return "inbox.v1" }

// Follows returns the types of events that Project has a statement for.
func (Inbox) Follows() []event.Event {
	return []event.Event{
		request.Submitted{}, request.Taken{}, request.Given{}, request.GivenToTeam{}, request.PutOff{}, request.UrgencyChanged{}, request.Completed{}, request.Reopened{},
		request.ReLinked{}, request.EnteredInError{}, staff.TeamRemoved{}, patient.Erased{},
	}
}

const addToInbox = `
INSERT INTO inbox (tenant, request, patient, type, urgent, by_proxy, files, submitted_at, idx)
SELECT * FROM unnest($1::text[], $2::uuid[], $3::uuid[], $4::text[], $5::boolean[], $6::boolean[], $7::int[], $8::timestamptz[], $9::bigint[])`

// Project keeps a row for each request. The row is deleted with the
// patient that the request is linked to then.
func (Inbox) Project(r event.Recorded, do func(sql string, args ...any)) {
	set := func(columns string, args ...any) {
		do(`UPDATE inbox SET `+columns+` WHERE tenant = $1 AND request = $2`, append([]any{r.Stream.Tenant, r.Stream.ID}, args...)...)
	}
	switch e := r.Event.(type) {
	case request.Submitted:
		do(addToInbox, row(r.Stream.Tenant, r.Stream.ID, e.Patient, string(e.Type), e.HighPriority, e.Requester == request.ByProxy,
			len(e.Attachments), r.At, r.Idx)...)
	case request.Held:
		holder, done := e.Held()
		completed, _ := e.(request.Completed)
		set(`holder = $3, until = NULL, done_at = CASE WHEN $4 THEN $5::timestamptz END, outcome = nullif($6, '')`, holder, done, r.At, string(completed.Outcome))
	case request.GivenToTeam:
		set(`holder = $3, until = NULL`, e.Team)
	case request.PutOff:
		set(`holder = $3, until = $4`, idOrNull(e.Team.UUID), e.Until)
	case staff.TeamRemoved:
		do(`UPDATE inbox SET holder = NULL WHERE tenant = $1 AND holder = $2 AND done_at IS NULL`, r.Stream.Tenant, e.Team)
	case request.UrgencyChanged:
		set(`urgent = $3`, e.Urgent)
	case event.Moved:
		set(`patient = $3`, e.PatientID())
	case request.EnteredInError:
		set(`in_error = true`)
	case patient.Erased:
		do(`DELETE FROM inbox WHERE tenant = $1 AND patient = $2`, r.Stream.Tenant, e.Patient)
	}
}

// InboxTab is a part of the inbox.
type InboxTab string

// The tabs. Open requests are listed urgent first, then oldest first; completed ones,
// newest first.
const (
	InboxNew  InboxTab = "new"  // no one has it
	InboxMine InboxTab = "mine" // the member, or a team of theirs, has it
	InboxOpen InboxTab = "open" // someone has it
	// InboxLater are the requests that were put off until a later day. No other tab of
	// requests that are not done has them.
	InboxLater InboxTab = "later"
	InboxDone  InboxTab = "done"
)

// InboxTabs lists the tabs, in the order in which pages show them.
func InboxTabs() []InboxTab { return []InboxTab{InboxNew, InboxMine, InboxOpen, InboxLater, InboxDone} }

// InboxFilter selects requests of the inbox.
type InboxFilter struct {
	Tab    InboxTab
	Member staff.ID     // the member of the tab "mine"
	Type   request.Type // "" for all
	Urgent bool         // only urgent ones
	Today  string       // the present date at the practice, such as 2026-05-03
	After  InboxPlace   // the end of the last page; zero for the first
	back   bool         // from After towards the beginning
}

// types are the types that the filter selects.
func (f InboxFilter) types() []request.Type {
	if f.Type != "" {
		return []request.Type{f.Type}
	}
	return request.Types()
}

// InboxPlace is a place in a list of requests, behind a row. The zero place is the
// beginning of the list.
type InboxPlace struct {
	Urgent  bool
	At      time.Time // time of submission or, in a list of completed requests, of completion
	Request request.ID
}

// Each list reads one index for each type and urgency, up to the length of a page, and
// sorts the results. So its duration does not grow with the number of requests. The
// filter is a row, so that Postgres estimates the same for all practices and keeps one
// plan.
const (
	rowsOf = `
SELECT r.request, r.patient, r.type, r.urgent, r.by_proxy, r.files, r.submitted_at, r.holder, s.name, s.active, g.name, coalesce(r.until::text, ''), r.done_at, coalesce(r.outcome, ''), r.in_error, r.idx FROM (`
	legsOf = `
WITH a AS MATERIALIZED (SELECT $1::text AS tenant, $2::text[] AS types, $3::boolean[] AS urgents, $4::timestamptz[] AS instants, $5::uuid AS request, $6::uuid AS member, $7::date AS today)` + rowsOf + `
	SELECT i.* FROM a CROSS JOIN LATERAL unnest(a.types) t (type) CROSS JOIN LATERAL unnest(a.urgents, a.instants) u (urgent, after)`
	eachOf = `
	CROSS JOIN LATERAL (SELECT * FROM inbox WHERE tenant = a.tenant AND type = t.type AND urgent = u.urgent`
	// The member and their teams, as holders.
	ownOf     = ` CROSS JOIN LATERAL (SELECT a.member AS holder UNION ALL ` + teamsOf + `a.tenant AND a.member = ANY (members)) h`
	holdersOf = `) r LEFT JOIN LATERAL (SELECT name, active FROM staff WHERE tenant = r.tenant AND staff = r.holder OFFSET 0) s ON true
LEFT JOIN LATERAL (SELECT name FROM teams WHERE tenant = r.tenant AND team = r.holder AND NOT removed OFFSET 0) g ON true`

	listWaiting = ` AND (submitted_at, request) > (u.after, a.request) ORDER BY submitted_at, request LIMIT %[1]d) i
	ORDER BY i.urgent DESC, i.submitted_at, i.request LIMIT %[1]d` + holdersOf + `
ORDER BY r.urgent DESC, r.submitted_at, r.request`
	listDone = ` AND (done_at, request) < (u.after, a.request) ORDER BY done_at DESC, request DESC LIMIT %[1]d) i
	ORDER BY i.done_at DESC, i.request DESC LIMIT %[1]d` + holdersOf + `
ORDER BY r.done_at DESC, r.request DESC`
	listBefore = ` AND (submitted_at, request) < (u.after, a.request) ORDER BY submitted_at DESC, request DESC LIMIT %[1]d) i
	ORDER BY i.urgent, i.submitted_at DESC, i.request DESC LIMIT %[1]d` + holdersOf + `
ORDER BY r.urgent, r.submitted_at DESC, r.request DESC`
	listDoneBefore = ` AND (done_at, request) > (u.after, a.request) ORDER BY done_at, request LIMIT %[1]d) i
	ORDER BY i.done_at, i.request LIMIT %[1]d` + holdersOf + `
ORDER BY r.done_at, r.request`
	oneRow = rowsOf + `
	SELECT * FROM inbox WHERE tenant = $1 AND request = $2` + holdersOf + ` LIMIT %d`
	listOfPatient = rowsOf + `
	SELECT * FROM inbox WHERE tenant = $1 AND patient = $2 AND (submitted_at, request) < ($3, $4)
	ORDER BY submitted_at DESC, request DESC LIMIT %d` + holdersOf + `
ORDER BY r.submitted_at DESC, r.request DESC`
)

// The rows of each tab.
const (
	isNew   = ` AND done_at IS NULL AND holder IS NULL`
	isOpen  = ` AND done_at IS NULL AND holder IS NOT NULL`
	isLater = ` AND done_at IS NULL AND until IS NOT NULL`
	isDone  = ` AND done_at IS NOT NULL`

	// Of these, those that wait for no later day.
	due   = ` AND (until IS NULL OR until <= a.today)`
	later = ` AND until > a.today`
	own   = ` AND holder = h.holder`
)

var listOf = map[InboxTab]string{
	InboxNew:   legsOf + eachOf + isNew + due + listWaiting,
	InboxMine:  legsOf + ownOf + eachOf + isOpen + own + due + listWaiting,
	InboxOpen:  legsOf + eachOf + isOpen + due + listWaiting,
	InboxLater: legsOf + eachOf + isLater + later + listWaiting,
	InboxDone:  legsOf + eachOf + isDone + listDone,
}

// The same lists from their ends.
var listBackOf = map[InboxTab]string{
	InboxNew:   legsOf + eachOf + isNew + due + listBefore,
	InboxMine:  legsOf + ownOf + eachOf + isOpen + own + due + listBefore,
	InboxOpen:  legsOf + eachOf + isOpen + due + listBefore,
	InboxLater: legsOf + eachOf + isLater + later + listBefore,
	InboxDone:  legsOf + eachOf + isDone + listDoneBefore,
}

// Find returns the row of a request, or [request.ErrUnknown].
func (i Inbox) Find(ctx context.Context, tenant string, id request.ID) (InboxRow, error) {
	rows, err := i.list(ctx, 1, oneRow, tenant, id)
	if err == nil && len(rows) == 0 {
		err = request.ErrUnknown
	}
	if err != nil {
		return InboxRow{}, err
	}
	return rows[0], nil
}

// Place is the place of the row in a list of open or, once it is done, of completed
// requests.
func (r InboxRow) Place() InboxPlace {
	if r.DoneAt != nil {
		return InboxPlace{r.Urgent, *r.DoneAt, r.Request}
	}
	return InboxPlace{r.Urgent, r.SubmittedAt, r.Request}
}

// Neighbours returns the requests of a tab before and behind the place in the filter,
// which the tab need not have. A zero identifier means no request.
func (i Inbox) Neighbours(ctx context.Context, tenant string, f InboxFilter) (before, behind request.ID, err error) {
	for _, side := range []struct {
		sql  string
		back bool
		id   *request.ID
	}{{listBackOf[f.Tab], true, &before}, {listOf[f.Tab], false, &behind}} {
		f.back = side.back
		urgents, after := f.legs()
		rows, err := i.list(ctx, 1, side.sql, tenant, f.types(), urgents, after, f.After.Request, f.Member, f.Today)
		if err != nil {
			return before, behind, err
		}
		if len(rows) > 0 {
			*side.id = rows[0].Request
		}
	}
	return before, behind, nil
}

// Page returns at most the given number of rows of a tab, and the next place, which is
// zero at the end.
func (i Inbox) Page(ctx context.Context, tenant string, f InboxFilter, most int) (rows []InboxRow, next InboxPlace, err error) {
	urgents, after := f.legs()
	rows, err = i.list(ctx, most, listOf[f.Tab], tenant, f.types(), urgents, after, f.After.Request, f.Member, f.Today)
	if len(rows) > most {
		rows = rows[:most]
		next = rows[most-1].Place()
	}
	return rows, next, err
}

// neverYet is later than any request.
var neverYet = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// legs returns the urgencies that are still to be listed, and the instant behind which
// each continues.
func (f InboxFilter) legs() (urgents []bool, after []time.Time) {
	begun := f.After != InboxPlace{}
	for _, urgent := range []bool{true, false} {
		from := f.After.At
		switch {
		case f.Urgent && !urgent:
			continue
		case f.Tab == InboxDone && !begun:
			from = neverYet
		case f.Tab == InboxDone:
		case f.back && urgent && !f.After.Urgent:
			from = neverYet // all of them come before
		case f.back && f.After.Urgent && !urgent:
			continue // all of them come behind
		case begun && urgent && !f.After.Urgent:
			continue // all of them were on earlier pages
		case urgent != f.After.Urgent:
			from = time.Time{}
		}
		urgents, after = append(urgents, urgent), append(after, from)
	}
	return urgents, after
}

// list reads one row more than a page has. The text of the statement contains the
// number, for the planner.
func (i Inbox) list(ctx context.Context, most int, sql string, args ...any) ([]InboxRow, error) {
	rows, _ := i.DB.Query(ctx, fmt.Sprintf(sql, most+1), args...)
	found, err := pgx.AppendRows(make([]InboxRow, 0, most+1), rows, func(row pgx.CollectableRow) (r InboxRow, err error) {
		var holder *uuid.UUID
		var member, team *string
		var active *bool
		err = row.Scan(&r.Request, &r.Patient, &r.Type, &r.Urgent, &r.ByProxy, &r.Files, &r.SubmittedAt, &holder, &member, &active, &team, &r.Until, &r.DoneAt, &r.Outcome, &r.InError, &r.Idx)
		switch { // one that is neither is a team that was removed while the request was given to it
		case member != nil:
			r.Holder.UUID, r.HolderName, r.HolderLeft = *holder, *member, !*active
		case team != nil:
			r.Team.UUID, r.HolderName = *holder, *team
		}
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("list requests: %w", err)
	}
	return found, nil
}

// MostCounted is where counting requests stops: it means that many or more.
const MostCounted = 1000

// looked is the number of index entries that a count reads at most. Requests that were put off
// are among them, and do not count.
const looked = 2 * MostCounted

// countOf returns the expression that counts the rows of a tab by an index, so the table is not
// read.
func countOf(rows, condition string) string {
	return fmt.Sprintf(`(SELECT least(count(*) FILTER (WHERE %s), %d)::int FROM (SELECT until FROM inbox WHERE tenant = a.tenant%s ORDER BY type, urgent LIMIT %d) c)`,
		strings.TrimPrefix(condition, " AND "), MostCounted, rows, looked)
}

var counted = `WITH a AS MATERIALIZED (SELECT $1::text AS tenant, $2::uuid AS member, $3::date AS today)
SELECT ` + countOf(isNew, due) + `, (SELECT sum(n)::int FROM (SELECT ` + countOf(isOpen+own, due) + ` AS n FROM (SELECT a.member AS holder UNION ALL ` + teamsOf + `a.tenant AND a.member = ANY (members)) h) m), ` +
	countOf(isOpen, due) + `, ` + countOf(isLater, later) + `,
	(SELECT count(*) FROM (SELECT FROM inbox WHERE tenant = a.tenant` + isDone + fmt.Sprintf(` ORDER BY type, urgent LIMIT %d) c) FROM a`, MostCounted)

// Counts returns the number of requests in each tab. It stops at [MostCounted] for each, and
// for each holder of the tab "mine". Today is the present date at the practice.
func (i Inbox) Counts(ctx context.Context, tenant string, member staff.ID, today string) (map[InboxTab]int, error) {
	var fresh, mine, open, later, done int
	if err := i.DB.QueryRow(ctx, counted, tenant, member, today).Scan(&fresh, &mine, &open, &later, &done); err != nil {
		return nil, fmt.Errorf("count requests: %w", err)
	}
	return map[InboxTab]int{InboxNew: fresh, InboxMine: min(mine, MostCounted), InboxOpen: open, InboxLater: later, InboxDone: done}, nil
}

// OfPatient returns at most the given number of a patient's requests behind a place,
// newest first, and the next place, which is zero at the end.
func (i Inbox) OfPatient(ctx context.Context, tenant string, id patient.ID, after InboxPlace, most int) (rows []InboxRow, next InboxPlace, err error) {
	if after == (InboxPlace{}) {
		after.At = neverYet
	}
	rows, err = i.list(ctx, most, listOfPatient, tenant, id, after.At, after.Request)
	if len(rows) > most {
		rows = rows[:most]
		next = InboxPlace{At: rows[most-1].SubmittedAt, Request: rows[most-1].Request}
	}
	return rows, next, err
}
