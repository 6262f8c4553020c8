package staffweb_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"frontdesk/adapters/staffweb/signin/passkeytest"
	"frontdesk/commands"
	"frontdesk/domain/event"
)

// halfway returns a browser after the right password, and the passkey's answer.
func (s *service) halfway(t *testing.T) (b *browser, k *passkeytest.Key, form url.Values) {
	t.Helper()
	owner, k := s.named(t)
	owner.signIn(elm, "dr.lee")
	owner.adds(k)
	b, _ = s.named(t)
	b.post(atElm+"sign-in", try("dr.lee", password)).wants(t, http.StatusSeeOther, atElm+"sign-in/second", "")
	form = b.get(atElm+"sign-in/second").form(t, atElm+"sign-in/second")
	form.Set("signed", k.Sign(t, b.asked("second", "")))
	return b, k, form
}

// If the account ends between the password and the passkey, the step ends: the
// passkey's signature is worthless.
func TestSecondStepEndsWithTheAccount_D66(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(t *testing.T, s *service) error{
		"deactivated": func(t *testing.T, s *service) error {
			return s.pages.Desk.DeactivateStaff(t.Context(), commands.DeactivateStaff{Tenant: elm, Username: "dr.lee"})
		},
		"reset": func(t *testing.T, s *service) error {
			by := func(operator string) context.Context {
				return event.WithMetadata(t.Context(), event.Metadata{Actor: event.Operator(operator, "")})
			}
			_, err := s.pages.Desk.RequestReset(by("alice"), commands.RequestReset{Tenant: elm, Username: "dr.lee"})
			must(t, err)
			_, err = s.pages.Desk.ResetStaff(by("bob"), commands.ResetStaff{Tenant: elm, Username: "dr.lee"})
			return err
		},
		"another password": func(t *testing.T, s *service) error {
			_, err := s.pages.Desk.SetPassword(t.Context(), commands.SetPassword{Tenant: elm, Username: "dr.lee", Password: better})
			return err
		},
		"five minutes": func(_ *testing.T, s *service) error { s.Pass(5 * time.Minute); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			b, k, form := s.halfway(t)
			must(t, ends(t, s))
			b.post(atElm+"sign-in/second", form).wants(t, http.StatusSeeOther, atElm+"sign-in", "")
			b.post(atElm+"challenge", url.Values{"for": {"second"}}).wants(t, http.StatusForbidden, "", "out of date")
			b.get(account).wants(t, http.StatusSeeOther, atElm+"sign-in?then=account", "")
			if name == "reset" || name == "deactivated" {
				alone, _ := s.named(t)
				alone.post(atElm+"sign-in/passkey", url.Values{"signed": {k.Sign(t, alone.asked("sign-in", ""))}}).
					wants(t, http.StatusBadRequest, "", "This passkey was not accepted.")
			}
		})
	}
}

func TestRemovedPasskeyIsRefused_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, k, form := s.halfway(t)
	owner, _ := s.named(t)
	owner.post(atElm+"sign-in/passkey", url.Values{"signed": {k.Sign(t, owner.asked("sign-in", ""))}}).wants(t, http.StatusSeeOther, home, "")
	owner.post(atElm+"account/passkeys", owner.get(atElm+"account/passkeys").form(t, atElm+"account/passkeys")).
		wants(t, http.StatusSeeOther, atElm+"account/passkeys?removed", "")
	b.post(atElm+"sign-in/second", form).wants(t, http.StatusBadRequest, "", "This passkey was not accepted.")
	b.get(account).wants(t, http.StatusSeeOther, atElm+"sign-in?then=account", "")
}

// A signature for one purpose, or in one browser, is valid for no other.
func TestSignatureFitsOnePurposeAndBrowser_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	b, k, form := s.halfway(t)
	in, _ := s.named(t)
	in.post(atElm+"sign-in/passkey", url.Values{"signed": {k.Sign(t, in.asked("sign-in", ""))}}).wants(t, http.StatusSeeOther, home, "")
	s.Pass(16 * time.Minute)
	b.post(atElm+"sign-in", try("dr.lee", password)).wants(t, http.StatusSeeOther, atElm+"sign-in/second", "")
	confirm := in.get(atElm+"confirm?then=account/passkeys").form(t, atElm+"confirm")
	for _, purpose := range []string{"sign-in", "second"} { // for signing in, by a thief of the session
		asking := in
		if purpose == "second" {
			asking = b
		}
		confirm.Set("signed", k.Sign(t, asking.asked(purpose, "")))
		in.post(atElm+"confirm", confirm).wants(t, http.StatusBadRequest, "", "This passkey was not accepted.")
	}
	signed := k.Sign(t, in.asked("confirm", confirm.Get("token")))
	thief, _ := s.named(t)
	thief.asked("sign-in", "")
	thief.post(atElm+"sign-in/passkey", url.Values{"signed": {signed}}).wants(t, http.StatusBadRequest, "", "This passkey was not accepted.")
	form.Set("signed", signed)
	b.post(atElm+"sign-in/second", form).wants(t, http.StatusBadRequest, "", "This passkey was not accepted.")
	confirm.Set("signed", signed)
	in.post(atElm+"confirm", confirm).wants(t, http.StatusSeeOther, atElm+"account/passkeys", "")
	in.post(atElm+"confirm", confirm).wants(t, http.StatusBadRequest, "", "This passkey was not accepted.") // once
}

// Nonsense sent to an IP address is refused, and is not an internal error.
func TestPasskeyAtIPAddressIsRefused_D66(t *testing.T) {
	t.Parallel()
	s := newService(t)
	named, k := s.named(t)
	named.signIn(elm, "dr.lee")
	named.adds(k)
	asking, _ := s.named(t)
	kept := cookie(t, asking.post(atElm+"challenge", url.Values{"for": {"sign-in"}}), "frontdesk.challenge-")
	b := s.browser(t)
	b.header.Set("Cookie", kept.Name+"="+kept.Value)
	b.post(atElm+"sign-in/passkey", url.Values{"signed": {k.Sign(t, []byte(`{"challenge":"AAAA"}`))}}).
		wants(t, http.StatusBadRequest, "", "This passkey was not accepted.")
}
