package webhooks_test

import (
	"testing"
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/domain/signingkey"
)

func TestDestinationsOfEventShareToken_D29(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	for range 5 {
		c.application(r.URL)
	}
	c.openRecord(t.Context(), c.patient)
	c.openRecord(t.Context(), c.newPatient("Bill Baker"))
	c.sendTo(r)
	tokens := map[string]int{}
	for _, p := range r.all() {
		tokens[p.token]++
	}
	if len(tokens) != 2 {
		t.Errorf("2 events were told in %d tokens", len(tokens))
	}
	for token, n := range tokens {
		if n != 5 {
			t.Errorf("%v was sent %d times to 5 destinations", c.verified(token)["jti"], n)
		}
	}
}

// A destination that is served later gets a fresh token with the same jti.
func TestLateDestinationKeepsJTI_D29(t *testing.T) {
	t.Parallel()
	for _, late := range []struct {
		by     time.Duration
		tokens int
	}{{4 * time.Second, 1}, {6 * time.Second, 2}} {
		t.Run(late.by.String(), func(t *testing.T) {
			t.Parallel()
			c, r := newClinic(t), newReceiver(t)
			c.application(r.URL)
			second := c.application(r.URL)
			c.openRecord(t.Context(), c.patient)
			c.fanOut()
			// Another sender has locked the second one, so it is not claimed yet.
			tx, err := c.pool.Begin(t.Context())
			must(t, err)
			_, err = tx.Exec(t.Context(), `SELECT FROM deliveries WHERE application = $1 FOR UPDATE`, second)
			must(t, err)
			start(t, c.sender(webhooks.NewClient(loopback, trusted(r))))
			first := r.next(t)
			c.clock.Pass(late.by)
			must(t, tx.Rollback(t.Context()))
			tokens := map[string]bool{first.token: true, r.next(t).token: true}
			jtis := map[any]bool{}
			for token := range tokens {
				jtis[c.verified(token)["jti"]] = true
			}
			if len(tokens) != late.tokens || len(jtis) != 1 {
				t.Errorf("%d tokens with %d jtis, want %d with one", len(tokens), len(jtis), late.tokens)
			}
		})
	}
}

// A receiver that fetched the keys a day ago has every key that it needs during two
// rotations, and no delivery is lost.
func TestRotationWhileSendingLosesNothing_D34(t *testing.T) {
	t.Parallel()
	c, r := newClinic(t), newReceiver(t)
	c.application(r.URL)
	start(t, c.sender(webhooks.NewClient(loopback, trusted(r))))
	sent, kids := 0, map[signingkey.KID]int{}
	for range 2 {
		next := c.stageKey()
		cached := c.published() // as a receiver that caches it for a day
		c.clock.Pass(signingkey.StagedFor)
		for i := range 20 {
			if i == 10 {
				c.activateKey(next)
			}
			c.openRecord(t.Context(), c.newPatient("Bill Baker"))
			c.fanOut()
			token := r.next(t).token
			c.verified(token)
			kid := kidOf(t, token)
			if len(cached.Key(string(kid))) != 1 {
				t.Errorf("the receiver of webhook %d does not know the key %s", sent, kid)
			}
			if i >= 10 && kid != next {
				t.Errorf("webhook %d was signed with a key that signs no more", sent)
			}
			kids[kid]++
			sent++
		}
	}
	c.wait(settled)
	c.wantSummary("delivered 40")
	if len(kids) != 3 {
		t.Errorf("keys used: %v", kids)
	}
}
