package signing_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"frontdesk/adapters/sealing"
	"frontdesk/adapters/signing"
	"frontdesk/commands"
	"frontdesk/domain/signingkey"
)

func TestPrivateKeysAreSealedAtRest_D34(t *testing.T) {
	t.Parallel()
	s := newService(t)
	var sealed []byte
	must(t, s.pool.QueryRow(t.Context(), `SELECT sealed FROM signing_key_secrets WHERE kid = $1`, string(s.kid)).Scan(&sealed))
	for _, readable := range [][]byte{{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01}, []byte("PRIVATE KEY")} { // the OID of RSA
		if bytes.Contains(sealed, readable) {
			t.Errorf("the private key can be read in the table")
		}
	}
	vault := s.vault()
	if err := vault.Check(t.Context(), s.kid); err != nil {
		t.Error(err)
	}
	vault.Masters = sealing.NewRing(sealing.MasterKey{9})
	if err := vault.Check(t.Context(), s.kid); !errors.Is(err, signing.ErrWrongMasterKey) {
		t.Errorf("opened with another master key: %v", err)
	}
	vault.Masters = nil
	if _, err := vault.Create(t.Context()); !errors.Is(err, sealing.ErrNoMasterKey) {
		t.Errorf("sealed without a master key: %v", err)
	}
}

func TestSealedKeysCannotBeExchanged_D34(t *testing.T) {
	t.Parallel()
	s := newService(t)
	other := s.stageKey()
	admin := s.admin()
	_, err := admin.Exec(t.Context(), `UPDATE signing_key_secrets SET sealed = (SELECT sealed FROM signing_key_secrets WHERE kid = $1) WHERE kid = $2`,
		string(s.kid), string(other))
	must(t, err)
	if err := s.vault().Check(t.Context(), other); !errors.Is(err, signing.ErrWrongMasterKey) {
		t.Errorf("one key was taken for another: %v", err)
	}
}

func TestRetiredPrivateKeysAreDestroyed_D34(t *testing.T) {
	t.Parallel()
	s := newService(t)
	next := s.stageKey()
	s.clock.Pass(signingkey.StagedFor)
	s.activateKey(next)
	if err := s.vault().Check(t.Context(), s.kid); !errors.Is(err, signing.ErrKeyLost) {
		t.Errorf("the old private key: %v", err)
	}
	if err := s.vault().Check(t.Context(), next); err != nil {
		t.Errorf("the new private key: %v", err)
	}
	// A key that was made but never staged: the process stopped in between.
	public, err := s.vault().Create(t.Context())
	must(t, err)
	must(t, s.vault().Sweep(t.Context()))
	must(t, s.vault().Check(t.Context(), public.KID()))
	s.clock.Pass(25 * time.Hour)
	must(t, s.vault().Sweep(t.Context()))
	if err := s.vault().Check(t.Context(), public.KID()); !errors.Is(err, signing.ErrKeyLost) {
		t.Errorf("an orphan is kept: %v", err)
	}
}

func TestAuditorsCannotReadSealedKeys(t *testing.T) {
	t.Parallel()
	s := newService(t)
	if s.count(`SELECT count(*) FROM (SELECT) x WHERE has_table_privilege('frontdesk_audit', 'signing_key_secrets', 'SELECT')`) != 0 {
		t.Error("frontdesk_audit may read signing_key_secrets")
	}
}

func TestOneKeyAtMostIsActive(t *testing.T) {
	t.Parallel()
	s := newService(t)
	kids := []signingkey.KID{s.stageKey(), s.stageKey()}
	s.clock.Pass(signingkey.StagedFor)
	failed := make(chan error, len(kids))
	for _, kid := range kids {
		go func() {
			failed <- commands.Desk{Store: s.store, Vault: s.vault(), Now: s.clock.Now}.
				ActivateSigningKey(t.Context(), commands.ActivateSigningKey{KID: kid})
		}()
	}
	for range kids {
		must(t, <-failed)
	}
	if n := s.count(`SELECT count(*) FROM signing_keys WHERE state = 'active'`); n != 1 {
		t.Errorf("%d keys are active", n)
	}
}
