package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
	"frontdesk/projections"
	"frontdesk/projections/history"
)

// Session is the session of a member of staff at a practice.
type Session struct {
	Token       string    // the secret in its browser's cookie
	ID          uuid.UUID // identifies the session to its member
	Staff       staff.ID
	Credential  staff.CredentialID // the password that must stay current
	Username    string
	Name        string
	Roles       staff.Roles
	ConfirmedAt time.Time // the last reauthentication
	ResetAt     time.Time // when a reset of their account was requested; zero for no request
	IdleAt      time.Time // when it ends without activity
	EndsAt      time.Time // when it ends in any case
	Mark        string    // ends its form tokens; see pagekit.Typed
	PasskeyBy   time.Time // when they can no longer work without a passkey; zero if they have one or need none
	Place       Place
	newsSince   *time.Time // of [News]; nil for none
	newsBrowser *time.Time
	seenAt      time.Time // when the stored time of activity was set
	formKey     []byte    // stays when the token changes; nil: the token is the key
}

// FormToken is the CSRF token of the session's forms, so that no other site can send
// them. It is valid for one purpose, and stays valid when the session gets a new token, so
// that other open pages can still be sent.
func (s Session) FormToken(purpose string) string {
	key := s.formKey
	if key == nil {
		key = []byte(s.Token)
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + s.Mark
}

// Owns reports whether a form token is this session's, for this purpose.
func (s Session) Owns(formToken, purpose string) bool {
	return subtle.ConstantTimeCompare([]byte(formToken), []byte(s.FormToken(purpose))) == 1
}

// The default lifetimes of a session.
const (
	DefaultIdle  = 30 * time.Minute
	DefaultLimit = 12 * time.Hour
)

// Sessions stores the sessions of staff.
type Sessions struct {
	DB    Database
	Idle  time.Duration // a session ends after this long without activity, or up to a thirtieth of it sooner
	Limit time.Duration // every session ends after this long
	Now   func() time.Time
}

// memberSessions limits the sessions of one member of staff. The oldest end, but never the
// new one, even if the clock was set back.
const memberSessions = 20

// Begin makes a session with a new token, whatever the browser sent before, to prevent
// session fixation. browser is a description for the member of staff. It also deletes
// sessions that have ended.
func (s Sessions) Begin(ctx context.Context, tenant string, h Holder, browser string) (token string, id uuid.UUID, err error) {
	token, id = newToken(), event.NewID()
	now, formKey := s.Now(), make([]byte, 32)
	_, _ = rand.Read(formKey) // never fails
	batch := &pgx.Batch{}
	batch.Queue(`DELETE FROM staff_sessions WHERE signed_in_at <= $1`, now.Add(-s.Limit))
	batch.Queue(`
		INSERT INTO staff_sessions (token_hash, tenant, staff, credential, signed_in_at, seen_at, id, browser, form_key) VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8)`,
		hashOf(token), tenant, h.Staff, h.Credential, now, id, browser, formKey)
	batch.Queue(`
		DELETE FROM staff_sessions WHERE token_hash IN (
			SELECT token_hash FROM staff_sessions WHERE tenant = $1 AND staff = $2 AND token_hash <> $4 ORDER BY signed_in_at DESC OFFSET $3 - 1)`,
		tenant, h.Staff, memberSessions, hashOf(token))
	if err := s.DB.ExecBatch(ctx, batch); err != nil {
		return "", uuid.Nil, fmt.Errorf("begin session: %w", err)
	}
	return token, id, nil
}

var sessionOf = `
SELECT n.id, s.staff, s.credential, s.username, s.name, ` + projections.RolesOfStaff + `, coalesce(n.confirmed_at, n.signed_in_at), n.seen_at, n.signed_in_at, n.form_key, n.news_since, n.news_browser, s.reset_at, n.site, n.room, n.clinician, ` + projections.LacksPasskey + `
FROM staff_sessions n JOIN staff s ON s.tenant = n.tenant AND s.staff = n.staff AND s.active AND s.credential = n.credential
WHERE n.token_hash = $1 AND n.tenant = $2 AND n.seen_at > $3 AND n.signed_in_at > $4`

// noteSeen does not wait for other calls of the session: one of them stores the time.
const noteSeen = `
UPDATE staff_sessions SET seen_at = $2
WHERE token_hash = (SELECT token_hash FROM staff_sessions WHERE token_hash = $1 AND seen_at < $2 FOR UPDATE SKIP LOCKED)`

// Find finds the session of a token at a practice, and notes its activity: at most once a
// minute, because otherwise each page would write a row.
func (s Sessions) Find(ctx context.Context, tenant, token string) (session Session, found bool, err error) {
	session, found, err = s.Peek(ctx, tenant, token)
	if err != nil || !found {
		return Session{}, false, err
	}
	if now := s.Now(); now.Sub(session.seenAt) >= min(time.Minute, s.Idle/30) {
		if _, err = s.DB.Exec(ctx, noteSeen, hashOf(token), now); err != nil {
			return Session{}, false, fmt.Errorf("note session: %w", err)
		}
		session.IdleAt = now.Add(s.Idle)
	}
	return session, true, nil
}

// Peek finds the session of a token at a practice. A request by script does not count
// as activity.
func (s Sessions) Peek(ctx context.Context, tenant, token string) (session Session, found bool, err error) {
	now, session := s.Now(), Session{Token: token}
	var resetAt *time.Time
	var lacksPasskey bool
	var at, room, with *uuid.UUID
	err = s.DB.QueryRow(ctx, sessionOf, hashOf(token), tenant, now.Add(-s.Idle), now.Add(-s.Limit)).
		Scan(&session.ID, &session.Staff, &session.Credential, &session.Username, &session.Name, &session.Roles, &session.ConfirmedAt, &session.seenAt, &session.EndsAt, &session.formKey, &session.newsSince, &session.newsBrowser, &resetAt, &at, &room, &with, &lacksPasskey)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Session{}, false, nil
	case err != nil:
		return Session{}, false, fmt.Errorf("read session: %w", err)
	}
	session.IdleAt, session.EndsAt = session.seenAt.Add(s.Idle), session.EndsAt.Add(s.Limit)
	if resetAt != nil {
		session.ResetAt = resetAt.UTC()
	}
	session.Place = placeOf(at, room, with)
	if lacksPasskey {
		session.PasskeyBy, err = history.PasskeyRules{DB: s.DB}.By(ctx, tenant, session.Staff)
	}
	return session, err == nil, err
}

// ErrRenewed means that the session of a token has ended, or has got another token.
var ErrRenewed = fault.New(fault.Conflict, "session-renewed", "This session has ended or was confirmed on another page. Open the page again.")

// Confirm records a reauthentication of a session, and returns its new token. The old one
// is void from now on, wherever a copy may be (D141). It returns [ErrRenewed] if the old one
// was void already.
func (s Sessions) Confirm(ctx context.Context, tenant, token string) (renewed string, err error) {
	renewed = newToken()
	done, err := s.DB.Exec(ctx, `UPDATE staff_sessions SET confirmed_at = $3, token_hash = $4 WHERE token_hash = $1 AND tenant = $2`,
		hashOf(token), tenant, s.Now(), hashOf(renewed))
	switch {
	case err != nil:
		return "", fmt.Errorf("confirm session: %w", err)
	case done.RowsAffected() == 0:
		return "", ErrRenewed
	}
	return renewed, nil
}

// Renewed reports whether a session goes on under another token.
func (s Sessions) Renewed(ctx context.Context, tenant string, old Session) (renewed bool, err error) {
	err = s.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM staff_sessions WHERE tenant = $1 AND staff = $2 AND id = $3 AND token_hash <> $4)`,
		tenant, old.Staff, old.ID, hashOf(old.Token)).Scan(&renewed)
	if err != nil {
		return false, fmt.Errorf("look for the session's new token: %w", err)
	}
	return renewed, nil
}

// End ends the session of a token, if there is one.
func (s Sessions) End(ctx context.Context, tenant, token string) error {
	_, err := s.DB.Exec(ctx, `DELETE FROM staff_sessions WHERE token_hash = $1 AND tenant = $2`, hashOf(token), tenant)
	if err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return nil
}

// OwnSession is a session on its member's account page.
type OwnSession struct {
	ID                   uuid.UUID
	Browser              string // in plain words; "" if it began before they were stored
	SignedInAt, LastSeen time.Time
}

// List returns the live sessions of a member of staff, last seen first. There are
// never many.
func (s Sessions) List(ctx context.Context, tenant string, member staff.ID) ([]OwnSession, error) {
	now := s.Now()
	rows, _ := s.DB.Query(ctx, `
		SELECT n.id, n.browser, n.signed_in_at, n.seen_at
		FROM staff_sessions n JOIN staff s ON s.tenant = n.tenant AND s.staff = n.staff AND s.active AND s.credential = n.credential
		WHERE n.tenant = $1 AND n.staff = $2 AND n.seen_at > $3 AND n.signed_in_at > $4
		ORDER BY n.seen_at DESC, n.id`, tenant, member, now.Add(-s.Idle), now.Add(-s.Limit))
	own, err := pgx.CollectRows(rows, pgx.RowToStructByPos[OwnSession])
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	return own, nil
}

// endOwn ends one session of a member of staff, and endOthers all but one. They never
// end another member's session, whatever its id.
const (
	endOwn    = `DELETE FROM staff_sessions WHERE tenant = $1 AND staff = $2 AND id = $3 RETURNING id`
	endOthers = `DELETE FROM staff_sessions WHERE tenant = $1 AND staff = $2 AND id <> $3 RETURNING id`
)

// EndSession ends another session of this session's member.
func (svc Service) EndSession(ctx context.Context, tenant string, this Session, other uuid.UUID) error {
	return svc.endSessions(ctx, endOwn, tenant, this.Staff, other)
}

// EndOtherSessions ends every other session of this session's member.
func (svc Service) EndOtherSessions(ctx context.Context, tenant string, this Session) error {
	return svc.endSessions(ctx, endOthers, tenant, this.Staff, this.ID)
}

func (svc Service) endSessions(ctx context.Context, which, tenant string, member staff.ID, session uuid.UUID) error {
	rows, _ := svc.Sessions.DB.Query(ctx, which, tenant, member, session)
	ended, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	for _, id := range ended {
		svc.Journal.SignedOut(ctx, Attempt{Tenant: tenant, Staff: member, Session: id})
	}
	return nil
}

// Ending is why a session has ended.
type Ending int

// The ways in which a session ends other than by sign-out.
const (
	Unknown     Ending = iota // as for a session that never existed; it may have been ended by hand, or by another password
	Idle                      // no activity for too long, or too old
	Deactivated               // its member of staff was deactivated
)

// Ended returns why the session of a token has ended. Only a browser with the token
// gets the reason.
func (s Sessions) Ended(ctx context.Context, tenant, token string) (why Ending, err error) {
	var active bool
	err = s.DB.QueryRow(ctx, `
		SELECT s.active FROM staff_sessions n JOIN staff s ON s.tenant = n.tenant AND s.staff = n.staff
		WHERE n.token_hash = $1 AND n.tenant = $2 AND (NOT s.active OR s.credential = n.credential)`, hashOf(token), tenant).Scan(&active)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Unknown, nil
	case err != nil:
		return Unknown, fmt.Errorf("read why a session has ended: %w", err)
	case !active:
		return Deactivated, nil
	}
	return Idle, nil
}

// SignOut ends a session at its member's request.
func (svc Service) SignOut(ctx context.Context, tenant string, s Session) error {
	if err := svc.Sessions.End(ctx, tenant, s.Token); err != nil {
		return err
	}
	svc.Journal.SignedOut(ctx, Attempt{Tenant: tenant, Staff: s.Staff, Session: s.ID})
	return nil
}

// DeviceLifetime is how long a device is known after its last sign-in.
const DeviceLifetime = 90 * 24 * time.Hour

const (
	deviceLimit   = 5  // attempts of a device since the last sign-in
	memberDevices = 10 // of one member of staff; the oldest are deleted
)

// Devices stores the browsers that staff have signed in with. Their attempts are
// counted separately, so that guessing strangers do not lock the owner out (D45). A
// device never waits: once its attempts are used up, it counts as a stranger's.
type Devices struct {
	DB  Database
	Now func() time.Time
	// LogNow is the practice's clock, by which events are recorded (D96); nil for Now.
	LogNow func() time.Time
}

func (d Devices) logTime() time.Time {
	if d.LogNow == nil {
		return d.Now()
	}
	return d.LogNow()
}

// knownDevice finds the row of a token at a practice and a username, while it is valid.
const knownDevice = ` staff s
WHERE d.token_hash = $1 AND d.tenant = $2 AND d.tries < $4 AND d.signed_in_at > $5
	AND s.tenant = d.tenant AND s.staff = d.staff AND s.username = $3 AND s.active AND s.credential = d.credential`

func (d Devices) queryArgs(t Try) []any {
	return []any{hashOf(t.Device), t.Tenant, storable(t.Username), deviceLimit, d.Now().Add(-DeviceLifetime)}
}

// Known reports whether this browser has signed in to the account before and has
// attempts left.
func (d Devices) Known(ctx context.Context, t Try) (known bool, err error) {
	if t.Device == "" {
		return false, nil
	}
	err = d.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM staff_devices d,`+knownDevice+`)`, d.queryArgs(t)...).Scan(&known)
	if err != nil {
		return false, fmt.Errorf("look up device: %w", err)
	}
	return known, nil
}

// errStranger: a device has no attempt left, or is no longer known.
var errStranger = errors.New("the device is a stranger's")

// Reserve takes one attempt of the device, before the password is checked. The next one
// may follow at once.
func (d Devices) Reserve(ctx context.Context, t Try) (until time.Time, taken bool, err error) {
	done, err := d.DB.Exec(ctx, `UPDATE staff_devices d SET tries = d.tries + 1 FROM`+knownDevice, d.queryArgs(t)...)
	if err != nil {
		return until, false, fmt.Errorf("reserve a try of a device: %w", err)
	}
	if done.RowsAffected() == 0 {
		return until, false, errStranger
	}
	return until, true, nil
}

// Renew gives the browser a new token after a sign-in. Its old token is void from now
// on, wherever a copy may be. The new one also counts for others who have signed in
// with this browser, with the attempts that they have left.
func (d Devices) Renew(ctx context.Context, t Try, h Holder) (token string, err error) {
	token = newToken()
	now, batch := d.Now(), &pgx.Batch{}
	batch.Queue(`DELETE FROM staff_devices WHERE signed_in_at <= $1`, now.Add(-DeviceLifetime))
	batch.Queue(`UPDATE staff_devices SET token_hash = $1 WHERE token_hash = $2 AND tenant = $3`, hashOf(token), hashOf(t.Device), t.Tenant)
	batch.Queue(`
		INSERT INTO staff_devices (token_hash, tenant, staff, credential, signed_in_at, first_at) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (token_hash, staff) DO UPDATE SET credential = $4, tries = 0, signed_in_at = $5`,
		hashOf(token), t.Tenant, h.Staff, h.Credential, now, d.logTime())
	batch.Queue(`
		DELETE FROM staff_devices WHERE tenant = $1 AND staff = $2 AND token_hash IN (
			SELECT token_hash FROM staff_devices WHERE tenant = $1 AND staff = $2 AND token_hash <> $4 ORDER BY signed_in_at DESC OFFSET $3 - 1)`,
		t.Tenant, h.Staff, memberDevices, hashOf(token))
	if err := d.DB.ExecBatch(ctx, batch); err != nil {
		return "", fmt.Errorf("renew device: %w", err)
	}
	return token, nil
}

// newToken is 256 random bits.
func newToken() string {
	token := make([]byte, 32)
	_, _ = rand.Read(token) // never fails
	return base64.RawURLEncoding.EncodeToString(token)
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
