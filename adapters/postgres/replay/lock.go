package replay

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
)

// lock stops the consumers of the projections that differ and, if one of these
// is kept at once, appends; it says since when. It waits for nobody long:
// whoever comes meanwhile would wait as well.
func (m *mending) lock(ctx context.Context, tx pgx.Tx) (appends time.Time, err error) {
	if _, err := tx.Exec(ctx, `SET LOCAL lock_timeout = '250ms'`); err != nil {
		return appends, err
	}
	atOnce := false
	for _, d := range m.found {
		if isAtOnce(d.Projection) {
			atOnce = true
			continue
		}
		for _, statement := range []string{
			`INSERT INTO public.feed_offsets (consumer) VALUES ($1) ON CONFLICT DO NOTHING`,
			`SELECT FROM public.feed_offsets WHERE consumer = $1 FOR UPDATE`,
		} {
			if _, err := tx.Exec(ctx, statement, d.Projection); err != nil {
				return appends, err
			}
		}
	}
	if !atOnce {
		return appends, nil
	}
	if _, err := tx.Exec(ctx, `LOCK TABLE public.events IN SHARE MODE`); err != nil {
		return appends, err
	}
	return m.Now(), m.drain(ctx)
}

// drainLimit is for what the last appends have left to the sequencer.
const drainLimit = 2 * time.Second

// drain brings everything into the log, so that the shadow can come to where
// the live tables are. Nothing is appended meanwhile.
func (m *mending) drain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	return postgres.NewSequencer(m.Pool, nil, nil, nil).Drain(ctx)
}
