package signin_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin"
	"frontdesk/commands"
	"frontdesk/projections"
)

func with(device string) func(*signin.Try) { return func(t *signin.Try) { t.Device = device } }

// device signs dr.lee in, and returns the browser's token.
func (s *surgery) device(t *testing.T, edits ...func(*signin.Try)) string {
	t.Helper()
	in, err := s.SignIn(t.Context(), try(edits...))
	must(t, err)
	return in.Device
}

// besiege makes strangers guess at dr.lee's password until every source has to wait.
func (s *surgery) besiege(t *testing.T) {
	t.Helper()
	passwords := s.Passwords
	s.Passwords = noAccounts{} // this test is not about hashing
	for n := range 50 {
		s.signIn(t, try(wrong, from(fmt.Sprintf("192.0.2.%d", n))))
	}
	s.Passwords = passwords
	if in, wait := s.signIn(t, try(from("198.51.100.9"))); in || wait == 0 {
		t.Fatalf("strangers do not wait: in %t", in)
	}
}

func TestGuessesDoNotLockKnownDevice_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	device := s.device(t)
	s.besiege(t)
	if in, wait := s.signIn(t, try(from("198.51.100.7"))); in || wait != lockout {
		t.Errorf("without the cookie: in %t, wait %v, want to wait as everybody", in, wait)
	}
	for range 3 { // whatever the password and the source
		device = s.device(t, with(device), from("192.0.2.1"))
	}
	if in, wait := s.signIn(t, try(from("198.51.100.7"))); in || wait != lockout {
		t.Errorf("the owner has given strangers their tries back: in %t, wait %v", in, wait)
	}
}

func TestDeviceFitsOneAccountAndPractice_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	device := s.device(t)
	known := func(edits ...func(*signin.Try)) bool {
		t.Helper()
		known, err := s.Devices.Known(t.Context(), try(edits...))
		must(t, err)
		return known
	}
	atOak := func(t *signin.Try) { t.Tenant = oak }
	atNoPractice := func(t *signin.Try) { t.Tenant = "nowhere" }
	if !known(with(device)) {
		t.Fatal("the browser is not known")
	}
	for name, edits := range map[string][]func(*signin.Try){
		"another practice":     {with(device), atOak},
		"no practice":          {with(device), atNoPractice},
		"another account":      {with(device), as("dr.may")},
		"nobody's account":     {with(device), as("nobody")},
		"no text":              {with(device), as("\xff\x00")},
		"no cookie":            {},
		"a forged cookie":      {with("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")},
		"a cookie that is big": {with(device + device)},
	} {
		if known(edits...) {
			t.Errorf("%s: the browser is known", name)
		}
	}
	must(t, s.Sessions.End(t.Context(), elm, device)) // a device is no session either
	if s.alive(t, elm, device) || !known(with(device)) {
		t.Error("a device and a session are taken for each other")
	}
}

func TestStolenDeviceHasFiveTries_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	device := s.device(t)
	s.besiege(t)
	checks := &counting{Checker: s.Passwords}
	s.Passwords = checks
	for n := range 5 {
		if in, wait := s.signIn(t, try(wrong, with(device), from("203.0.113.9"))); in || wait != 0 {
			t.Errorf("try %d: in %t, wait %v", n+1, in, wait)
		}
	}
	if in, wait := s.signIn(t, try(with(device), from("203.0.113.9"))); in || wait != lockout {
		t.Errorf("with the right password after that: in %t, wait %v, want a stranger's wait", in, wait)
	}
	if checks.checks != 5 {
		t.Errorf("%d passwords were looked at, want 5", checks.checks)
	}
}

func TestSignInReplacesDeviceToken_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	stolen := s.device(t)
	fresh := s.device(t, with(stolen))
	s.besiege(t)
	if in, _ := s.signIn(t, try(with(stolen))); in {
		t.Error("a copy of the old cookie is still good")
	}
	s.device(t, with(fresh))
}

func TestDeviceExpiresAndEndsWithPassword_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	old := s.device(t)
	s.Pass(signin.DeviceLifetime - time.Second)
	device := s.device(t, with(old))
	s.Pass(signin.DeviceLifetime)
	s.besiege(t)
	if in, _ := s.signIn(t, try(with(device))); in {
		t.Error("a browser is known for longer than its lifetime")
	}
	s.Pass(24 * time.Hour)
	device = s.device(t)
	set := commands.Desk{Store: s.store, Staff: projections.Staff{DB: s.pool}, Passwords: s.vault, Now: s.Now}
	for _, to := range []string{"walnut soup boat", password} { // even back to the same
		_, err := set.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: to})
		must(t, err)
	}
	s.besiege(t)
	if in, _ := s.signIn(t, try(with(device))); in {
		t.Error("a browser is known after the password was reset")
	}
	var rows int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM staff_devices`).Scan(&rows))
	if rows != 0 {
		t.Errorf("%d rows are left of devices that are void", rows)
	}
}

// A double click on the button.
func TestConcurrentSignInsOfOneDevice_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	device := s.device(t)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if in, err := s.SignIn(t.Context(), try(with(device))); in.Session == "" || err != nil {
				t.Errorf("not signed in: %v", err)
			}
		})
	}
	all.Wait()
}

// At a reception's browser several people sign in, one after another.
func TestBrowserRemembersAllAccounts_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	_, err := commands.Desk{Store: s.store, Passwords: s.vault}.RegisterStaff(t.Context(), commands.RegisterStaff{
		Tenant: elm, Username: "dr.may", Name: "Dr May", Email: "may@practice.example", Password: password,
	})
	must(t, err)
	device := s.device(t)
	device = s.device(t, as("dr.may"), with(device))
	for _, username := range []string{"dr.lee", "dr.may"} {
		if known, err := s.Devices.Known(t.Context(), try(as(username), with(device))); !known || err != nil {
			t.Errorf("%s is not known: %v", username, err)
		}
	}
	for range 3 { // wrong attempts of one do not cost the other attempts or devices
		s.signIn(t, try(wrong, with(device)))
	}
	device = s.device(t, as("dr.may"), with(device))
	for range 2 { // five in all
		s.signIn(t, try(wrong, with(device)))
	}
	if known, err := s.Devices.Known(t.Context(), try(with(device))); known || err != nil {
		t.Errorf("another's sign-in has given tries back: %v", err)
	}
}

func TestDeviceTablesAreBounded_D45(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	for range 30 { // with the right password, on a new browser each time
		s.device(t)
	}
	s.Passwords = noAccounts{}
	for n := range 3_000 {
		s.signIn(t, try(as(fmt.Sprintf("guess%d", n)), wrong))
		inventive := try(wrong)
		inventive.Tenant = fmt.Sprintf("practice-%d", n)
		s.signIn(t, inventive)
	}
	var sessions, devices, tries int
	must(t, s.pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM staff_sessions), (SELECT count(*) FROM staff_devices),
		(SELECT count(*) FROM sign_in_tries)`).Scan(&sessions, &devices, &tries))
	if sessions != 20 || devices != 10 || tries > 2*300 {
		t.Errorf("%d sessions, %d devices, %d counts of tries; want 20, 10 and at most 600", sessions, devices, tries)
	}
	var named int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM sign_in_tries t WHERE t::text LIKE '%practice%' OR t::text LIKE '%elm%'`).Scan(&named))
	if named != 0 {
		t.Errorf("%d rows name a practice, which somebody may have made up", named)
	}
}

func TestOldestDeviceIsForgotten(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	begun := s.Now()
	for range 11 { // one more than are kept
		s.device(t)
		s.Pass(time.Minute)
	}
	var oldest time.Time
	must(t, s.pool.QueryRow(t.Context(), `SELECT min(signed_in_at) FROM staff_devices`).Scan(&oldest))
	if want := begun.Add(time.Minute); !oldest.Equal(want) {
		t.Errorf("oldest device is of %v, want %v", oldest, want)
	}
}

// A sign-in deletes old counts, and does not wait for rows that another process has
// locked.
func TestSignInPassesLockedTries(t *testing.T) {
	t.Parallel()
	s := newSurgery(t)
	for _, mark := range []string{"held", "free"} {
		_, err := s.pool.Exec(t.Context(), `INSERT INTO sign_in_tries (mark, tries, last_at, locked_until) VALUES ($1, 1, '2000-01-01', '2000-01-01')`, []byte(mark))
		must(t, err)
	}
	held, err := s.pool.Begin(t.Context())
	must(t, err)
	defer func() { _ = held.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = held.Exec(t.Context(), `SELECT FROM sign_in_tries WHERE mark = 'held' FOR UPDATE`)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = s.SignIn(ctx, try())
	must(t, err)
	var left int
	must(t, s.pool.QueryRow(t.Context(), `SELECT count(*) FROM sign_in_tries WHERE mark IN ('held', 'free')`).Scan(&left))
	if left != 1 {
		t.Errorf("%d old counts are left, want the one that is held", left)
	}
}
