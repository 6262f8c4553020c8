package staffweb_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/staffweb"
	"frontdesk/adapters/staffweb/signin/passkeytest"
	"frontdesk/commands"
	"frontdesk/domain/record"
	"frontdesk/domain/request"
	"frontdesk/projections"
)

// Browsers send a line break as two characters, which count as one.
func TestLineEndsCountOnce(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	for _, f := range d.forms()[:3] {
		longest := strings.Repeat("a\r\n", f.most/2-1) + "aa"
		f.send(t, longest+"a").wants(t, http.StatusBadRequest, "", "Shorten this to at most "+commas[f.most]+" characters. It has ")
		if answer := f.send(t, longest); answer.StatusCode != http.StatusSeeOther {
			t.Errorf("%s is answered %s:\n%.2000s", f.name, answer.Status, answer.body)
		}
	}
	kept := ""
	history, err := projections.CareRecords{DB: d.pool, Opens: d.pages.Opens}.Find(t.Context(), elm, d.ann, true)
	must(t, err)
	for _, entry := range history.Entries {
		if note, is := entry.Event.(record.NoteCreated); is {
			kept = note.Text
		}
	}
	if want := strings.Repeat("a\n", request.MaxText/2-1) + "aa"; kept != want {
		t.Errorf("%d characters were kept, want %d:\n%.100q", len(kept), len(want), kept)
	}
}

func TestLongestPasskeyName(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, _ := s.named(t)
	b.signIn(elm, "dr.lee")
	const at = atElm + "account/passkeys"
	for script := range scripts {
		for _, characters := range []int{65, 64} {
			page := b.get(at)
			block, _ := page.formFor(t, at, "name")
			form := hiddenIn(block)
			form.Set("signed", passkeytest.New(t, "localhost", "http://localhost:8080").Make(t, b.asked("add", form.Get("token"))))
			form.Set("name", textOf(script, characters))
			answer := b.post(at, form)
			if characters > 64 {
				answer.wants(t, http.StatusBadRequest, "", "a name of 1 to 64 printable characters")
				answer.wants(t, http.StatusBadRequest, "", `value="`+form.Get("name")+`"`)
			} else {
				answer.wants(t, http.StatusSeeOther, at+"?added", "")
			}
		}
	}
}

// Passwords over the limit are refused, and no page shows them again.
func TestLongestPassword(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for script := range scripts {
		longest := textOf(script, 256)
		b, username := s.browser(t), textOf(script, 128)
		page := b.follow(s.invite(t, elm, username, "Kim"))
		refused := b.choose(page, longest+"x")
		refused.wants(t, http.StatusBadRequest, "", "at most 256 characters")
		if strings.Contains(refused.body, longest) {
			t.Errorf("%s: a password is shown again", script)
		}
		b.choose(page, longest).wants(t, http.StatusSeeOther, account+"?done=link", "")

		fresh := s.browser(t)
		typo := fresh.post(atElm+"sign-in", try(username+"x", longest))
		typo.wants(t, http.StatusBadRequest, "", `value="`+username+`x"`)
		fresh.post(atElm+"sign-in", try(username, longest)).wants(t, http.StatusSeeOther, home, "")

		form := fresh.get(atElm+"account/password").form(t, atElm+"account/password")
		form.Set("present", longest)
		form.Set("password", longest+"x")
		fresh.post(atElm+"account/password", form).wants(t, http.StatusBadRequest, "", "at most 256 characters")
		form.Set("password", "maple kettle orbit "+textOf(script, 237))
		fresh.post(atElm+"account/password", form).wants(t, http.StatusSeeOther, account+"?done=password", "")
	}
}

// A site with many rooms has a long form, although each of its names is short.
func TestSiteWithHundredRooms(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	rooms := url.Values{}
	for n := range 100 {
		name := fmt.Sprintf("%s%03d", textOf("emoji", 57), n)
		roomOf(t)(d.pages.Desk.AddRoom(t.Context(), commands.AddRoom{Tenant: elm, Site: d.site, Name: name}))
		rooms.Set(fmt.Sprintf("room%d", n+2), name)
	}
	at := atElm + "sites/" + d.site.String()
	form := with(d.manager.get(at).form(t, at), "name", "Elm House", "room1", "Room 1")
	for field := range rooms {
		form[field] = rooms[field]
	}
	form.Set("room101", textOf("emoji", 60))
	d.manager.post(at, form).wants(t, http.StatusSeeOther, at+"?done=saved", "")
	if n := d.count(t, "site.room-renamed.v1"); n != 1 {
		t.Errorf("%d rooms were renamed", n)
	}
}

// Whatever the form and the sender: a form that is too large is refused, or its sender
// is sent to sign in.
func TestTooLargeFormIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	large := url.Values{"text": {strings.Repeat("x", 1<<20)}}
	changed := d.changed(t)
	for _, route := range staffweb.Served(d.pages) {
		path, isPost := strings.CutPrefix(route, "POST ")
		if !isPost {
			continue
		}
		for who, b := range map[string]*browser{"a stranger": d.browser(t), "bob": d.reception, "dr.may": d.manager, "po.ann": d.officer} {
			answer := b.post("/elm-street/staff"+path, large)
			asksWho := who == "a stranger" && answer.Header.Get("Location") == "/elm-street/staff/sign-in"
			tooLong := answer.StatusCode == http.StatusRequestEntityTooLarge && strings.Contains(answer.body, "What you typed is too long") && strings.Contains(answer.body, "Back button")
			if !asksWho && !tooLong {
				t.Errorf("%s: %s is answered %s:\n%s", route, who, answer.Status, answer.body)
			}
		}
	}
	if now := d.changed(t); now != changed {
		t.Errorf("something was changed:\n%s\n%s", changed, now)
	}
}

// Of a stranger's long form only the first 64 KiB are read. An ended or invented
// session makes its sender a stranger.
func TestStrangersFormIsCutAt64KiB(t *testing.T) {
	t.Parallel()
	d := newDesks(t)
	for name, cookie := range map[string]string{"none": "", "made up": "frontdesk-elm-street=" + strings.Repeat("A", 43)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			status, err := d.send(ctx, "POST "+patientsPage+"/"+d.ann.String()+"/notes HTTP/1.1\r\nHost: x\r\nCookie: "+cookie+
				"\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 200000\r\n\r\nnote="+strings.Repeat("x", 64<<10))
			if err != nil || status != http.StatusSeeOther {
				t.Errorf("answered %d, %v before the rest has come", status, err)
			}
		})
	}
}
