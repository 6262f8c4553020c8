package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// A group falls apart only if nothing of it is stored: whatever leaves that open must
// not be sent again.
func TestWhatIsUndoneIsCertain_D60(t *testing.T) {
	t.Parallel()
	said := func(severity, code string) error {
		return faultOf(&pgconn.PgError{SeverityUnlocalized: severity, Code: code})
	}
	for name, c := range map[string]struct {
		err  error
		want outcome
	}{
		"stored":                        {nil, kept},
		"a row that is there already":   {said("ERROR", "23505"), refused},
		"a name that is taken":          {staff.ErrUsernameTaken, refused},
		"a deadlock":                    {said("ERROR", "40P01"), refused},
		"a conflict":                    {fmt.Errorf("%w (%w)", event.ErrConflict, said("ERROR", "23505")), refused},
		"a full disk":                   {said("ERROR", "53100"), refused},
		"cancelled":                     {said("ERROR", "57014"), refused},
		"completion unknown":            {said("ERROR", "40003"), unknown},
		"a pooler's lost connection":    {said("ERROR", "08006"), unknown},
		"a server that shuts down":      {said("FATAL", "57P01"), unknown},
		"a server that has crashed":     {said("PANIC", "XX000"), unknown},
		"a lost connection":             {faultOf(fmt.Errorf("read: %w", context.DeadlineExceeded)), unknown},
		"an absence":                    {ErrUnavailable, unknown},
		"something that nobody thought": {errors.New("odd"), unknown},
	} {
		if got := outcomeOf(c.err); got != c.want {
			t.Errorf("%s: outcome %d, want %d", name, got, c.want)
		}
	}
}

// What has no code of Postgres is named, too, and nothing else is taken for a state.
func TestStatesWithoutACode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a limit that ran out":   {fmt.Errorf("read: %w", context.DeadlineExceeded), stateUnanswered},
		"a connection that ends": {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), stateLost},
		"a closed connection":    {pgconn.ErrConnClosed, stateLost},
		"a caller who has gone":  {fmt.Errorf("read: %w", context.Canceled), ""},
		"a missing right":        {&pgconn.PgError{Code: "42501"}, ""},
		"no code":                {&pgconn.PgError{}, ""},
		"something else":         {errors.New("odd"), ""},
	} {
		if got := stateOf(c.err); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
