package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"frontdesk/domain/staff"
	"frontdesk/projections/history"
)

// News is what happened to an account since its member last signed in with this browser, or
// with any browser if this one is new. So the sign-in of a thief hides nothing from them. A
// browser that was forgotten, because too many others have signed in since, is shown what
// happened since the first of those.
type News struct {
	Account []history.AccountEvent // newest first
	Browser time.Time              // when another browser first signed in; zero if none did
	Rules   []history.PasskeyRuleChange
}

// newsSince is the instant from which a browser's member knows nothing yet, and the first
// sign-in of another browser after it. Both are by the practice's clock, as the log is. $4:
// the browser has a token, and so was known.
const newsSince = `
SELECT since, (SELECT max(d.first_at) FROM staff_devices d WHERE d.tenant = $2 AND d.staff = $3 AND d.first_at > since)
FROM (SELECT coalesce(
	(SELECT told_at FROM staff_devices WHERE token_hash = $1 AND tenant = $2 AND staff = $3),
	(SELECT CASE WHEN $4 THEN min(told_at) ELSE max(told_at) END FROM staff_devices WHERE tenant = $2 AND staff = $3),
	(SELECT max(at) FROM sign_ins WHERE tenant = $2 AND staff = $3)) AS since) AS known
WHERE since IS NOT NULL`

// untold is what a session has still to show.
type untold struct {
	since   *time.Time // nil for nothing
	browser *time.Time
}

// untoldOf reads what the session that begins has to show. Call it before [Devices.Renew].
func (svc Service) untoldOf(ctx context.Context, t Try, member staff.ID) (u untold, err error) {
	err = svc.Sessions.DB.QueryRow(ctx, newsSince, hashOf(t.Device), t.Tenant, member, t.Device != "").Scan(&u.since, &u.browser)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return u, fmt.Errorf("read when a member signed in before: %w", err)
	}
	return u, nil
}

// keepUntold stores what a new session has to show. The browser knows everything from now on.
func (svc Service) keepUntold(ctx context.Context, t Try, in SignedIn, u untold) error {
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE staff_sessions SET news_since = $2, news_browser = $3 WHERE token_hash = $1`, hashOf(in.Session), u.since, u.browser)
	batch.Queue(`UPDATE staff_devices SET told_at = $4 WHERE token_hash = $1 AND tenant = $2 AND staff = $3`, hashOf(in.Device), t.Tenant, in.Staff, svc.Devices.logTime())
	if err := svc.Sessions.DB.ExecBatch(ctx, batch); err != nil {
		return fmt.Errorf("note what a session has to show: %w", err)
	}
	return nil
}

// News returns what a session has to show, once.
func (svc Service) News(ctx context.Context, tenant string, of Session) (news News, err error) {
	if of.newsSince == nil {
		return news, nil
	}
	db := svc.Sessions.DB
	if news.Account, err = (history.Accounts{DB: db}).Since(ctx, tenant, of.Staff, *of.newsSince, svc.Sessions.Now()); err != nil {
		return news, err
	}
	if of.newsBrowser != nil {
		news.Browser = of.newsBrowser.UTC()
	}
	if of.Roles.May(staff.RequirePasskeys) {
		if news.Rules, err = (history.PasskeyRules{DB: db}).Changes(ctx, tenant, *of.newsSince); err != nil {
			return news, err
		}
	}
	if _, err = db.Exec(ctx, `UPDATE staff_sessions SET news_since = NULL WHERE token_hash = $1`, hashOf(of.Token)); err != nil {
		return News{}, fmt.Errorf("note what a session has shown: %w", err)
	}
	return news, nil
}
