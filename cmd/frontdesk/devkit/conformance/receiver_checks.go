package conformance

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/adapters/background"
	"frontdesk/adapters/clock"
)

// receiverChecks are made in this order. A receiver may fetch keys only now and then, so new
// keys come before unpublished kids.
func receiverChecks() []check[*Receiver] {
	return []check[*Receiver]{
		{"right", "§6.5", "takes a right webhook of each kind", takesEachKind},
		{"keys-kept", "§6.5", "keeps the keys, and does not ask for them at each webhook", keepsKeys},
		{"replayed", "§6.3", "takes the same webhook twice, and processes it once", takesTwice},
		{"rotated", "§6.5", "asks for the keys again when it meets a new kid", followsRotation},
		{"keys-away", "§6.5", "goes on with the keys that it has while new ones cannot be had", livesWithoutKeys},
		{"not-signed", "§6.4", "refuses alg none", refusesUnsigned},
		{"hmac", "§6.4", "refuses HS256 with the public key as the secret", refusesHMAC},
		{"other-alg", "§6.4", "refuses algorithms other than RS256", refusesOtherAlgorithms},
		{"forged", "§6.5", "refuses a webhook that another key has signed", refusesForgeries},
		{"own-key", "§6.5", "refuses a webhook that brings its own key", refusesItsOwnKey},
		{"unknown-key", "§6.5", "refuses a kid that is not published", refusesUnknownKey},
		{"issuer", "§6.5", "refuses another iss", refusesOf("a webhook of another sender", func(w *webhook) { w.with("iss", "somebody-else") })},
		{"expired", "§6.5", "refuses an expired webhook", refusesExpired},
		{"claims", "§6.4", "refuses a webhook without exp", refusesOf("a webhook that never expires", func(w *webhook) { w.with("exp", nil) })},
		{"rubbish", "§6.3", "refuses a body that is no webhook, and goes on", survivesRubbish},
		{"quick", "§6.3", "answers quickly", isQuick},
	}
}

func takesEachKind(ctx context.Context, r *Receiver) string {
	kinds := eachKind(r.Now())
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		if why := r.takes(ctx, kinds[name]); why != "" {
			return why + " (" + name + ")"
		}
	}
	return ""
}

// keepsKeys allows one fetch, because a set may have become too old just now.
func keepsKeys(ctx context.Context, r *Receiver) string {
	const webhooks = 5
	before := r.Service.asked()
	for range webhooks {
		if why := r.takes(ctx, recordOpened(r.Now())); why != "" {
			return why
		}
	}
	if asked := r.Service.asked() - before; asked > 1 {
		return fmt.Sprintf("it asked for the keys %d times for %d webhooks of one key", asked, webhooks)
	}
	return ""
}

// takesTwice sends the same webhook again. Refusing the second with a 4xx is as good as
// taking it: the first was taken.
func takesTwice(ctx context.Context, r *Receiver) string {
	before, err := r.processed(ctx)
	if err != nil {
		return err.Error()
	}
	token := recordOpened(r.Now()).token(r.Service.active())
	one, two := r.send(ctx, token), r.send(ctx, token)
	switch {
	case !one.took():
		return one.String() + " to a right webhook"
	case !two.took() && !two.refused():
		return two.String() + " when the same webhook came again"
	}
	after, err := r.processed(ctx)
	if err != nil {
		return err.Error()
	}
	if r.Processed != "" && after-before != 1 {
		return fmt.Sprintf("it processed %d webhooks of one jti", after-before)
	}
	return ""
}

func followsRotation(ctx context.Context, r *Receiver) string {
	if err := r.Service.rotate(); err != nil {
		return err.Error()
	}
	return r.takesSoon(ctx, "signed with a new key that is published")
}

// takesSoon sends right webhooks until one is taken.
func (r *Receiver) takesSoon(ctx context.Context, which string) string {
	for watch := clock.Start(); ; {
		why := r.takes(ctx, recordOpened(r.Now()))
		if why == "" {
			return ""
		}
		if watch.Elapsed() > r.Patience || !background.Sleep(ctx, r.Patience/20) {
			return why + " " + which
		}
	}
}

// livesWithoutKeys sends a new kid while the key set is unavailable. Known keys must still
// work, and the new key must be found once the key set is available again.
func livesWithoutKeys(ctx context.Context, r *Receiver) string {
	old := r.Service.active()
	if err := r.Service.rotate(); err != nil {
		return err.Error()
	}
	r.Service.setDown(true)
	a := r.send(ctx, recordOpened(r.Now()).token(r.Service.active()))
	known := r.send(ctx, recordOpened(r.Now()).token(old))
	r.Service.setDown(false)
	switch {
	case a.took():
		return "it took a webhook whose key it could not have"
	case !known.took():
		return fmt.Sprintf("%s to a webhook of a key that it has, because it could not ask for keys", known)
	}
	return r.takesSoon(ctx, "after the keys could be had again")
}

// refusesOf is a check that a right webhook is refused once it is spoilt.
func refusesOf(what string, spoil func(*webhook)) func(context.Context, *Receiver) string {
	return func(ctx context.Context, r *Receiver) string {
		w := recordOpened(r.Now())
		spoil(w)
		return r.refuses(ctx, what, w.token(r.key()))
	}
}

// refusesUnsigned spells "none" in every way that a deny list may have forgotten.
func refusesUnsigned(ctx context.Context, r *Receiver) string {
	for _, none := range []string{"none", "None", "NONE", "nOnE"} {
		why := r.refuses(ctx, "an unsigned webhook (alg "+none+")", recordOpened(r.Now()).signedBy(none, unsigned).token(r.key()))
		if why != "" {
			return why
		}
	}
	return ""
}

func refusesHMAC(ctx context.Context, r *Receiver) string {
	key := r.key()
	for _, secret := range secrets(key) {
		if why := r.refuses(ctx, "an HMAC that anyone can make", recordOpened(r.Now()).signedBy("HS256", hs256(secret)).token(key)); why != "" {
			return why
		}
	}
	return ""
}

func refusesOtherAlgorithms(ctx context.Context, r *Receiver) string {
	key := r.key()
	return first(
		r.refuses(ctx, "RS512", recordOpened(r.Now()).signedBy("RS512", rs512).token(key)),
		r.refuses(ctx, "PS256", recordOpened(r.Now()).signedBy("PS256", ps256).token(key)))
}

func refusesForgeries(ctx context.Context, r *Receiver) string {
	key := r.key()
	own, err := forger(key)
	if err != nil {
		return err.Error()
	}
	return first(
		r.refuses(ctx, "a webhook that another key has signed", recordOpened(r.Now()).token(own)),
		r.refuses(ctx, "a webhook that was changed after it was signed", tampered(r.Now(), key)),
		r.refuses(ctx, "a webhook without its signature", strings.TrimRight(recordOpened(r.Now()).signedBy("RS256", unsigned).token(key), ".")+"."))
}

func refusesItsOwnKey(ctx context.Context, r *Receiver) string {
	own, err := forger(r.key())
	if err != nil {
		return err.Error()
	}
	elsewhere := r.Service.offer(own)
	return first(
		r.refuses(ctx, "a key out of the webhook's own header (jwk)", recordOpened(r.Now()).head("jwk", own.asJWK()).token(own)),
		r.refuses(ctx, "a key from where the webhook's own header leads (jku)", recordOpened(r.Now()).head("jku", elsewhere).token(own)))
}

func refusesUnknownKey(ctx context.Context, r *Receiver) string {
	own, err := newKey()
	if err != nil {
		return err.Error()
	}
	return r.refuses(ctx, "a webhook whose kid is not published", recordOpened(r.Now()).token(own))
}

// refusesExpired leaves room for clocks that differ.
func refusesExpired(ctx context.Context, r *Receiver) string {
	past := r.Now().Add(-10 * time.Minute).Unix()
	return r.refuses(ctx, "a webhook that expired nine minutes ago", recordOpened(r.Now()).with("iat", past).with("exp", past+60).token(r.key()))
}

func survivesRubbish(ctx context.Context, r *Receiver) string {
	for _, what := range []struct{ name, body string }{
		{"an empty body", ""},
		{"a word", "hello"},
		{"two dots", ".."},
		{"JSON", `{"event":"record.opened"}`},
		{"claims that are no object", "eyJhbGciOiJSUzI1NiJ9.W10.AAAA"},
		{"bytes that are no text", "\xff\xfe\x00.\x00.\x00"},
	} {
		if why := r.refuses(ctx, what.name, what.body); why != "" {
			return why
		}
	}
	// A receiver that ends the connection instead of reading the whole body has also refused
	// it; a proxy in front of it then answers 502.
	if a := r.send(ctx, strings.Repeat("A", 1<<20)); a.err == nil && !a.refused() && a.status != http.StatusBadGateway {
		return fmt.Sprintf("%s to a body of a mebibyte; answer 413", a)
	}
	if why := r.takes(ctx, recordOpened(r.Now())); why != "" {
		return why + " after a body that is no webhook"
	}
	return ""
}

// isQuick judges by the slowest answer to a right webhook so far. The service times out after
// 10 s; half of that leaves no room for the network and a busy hour.
func isQuick(_ context.Context, r *Receiver) string {
	if r.slowest > r.Limit/2 {
		return fmt.Sprintf("the slowest of %d answers took %s, and the service gives up after %s: answer first, and process later",
			r.right, r.slowest.Round(time.Millisecond), r.Limit)
	}
	return ""
}
