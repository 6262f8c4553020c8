package webhooks_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/webhooks"
	"frontdesk/commands"
	"frontdesk/domain/signingkey"
	"frontdesk/projections"
)

func TestPrivateKeysAreSealedAtRest_D34(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	var sealed []byte
	must(t, c.pool.QueryRow(t.Context(), `SELECT sealed FROM signing_key_secrets WHERE kid = $1`, string(c.kid)).Scan(&sealed))
	for _, readable := range [][]byte{{0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01}, []byte("PRIVATE KEY")} { // the OID of RSA
		if bytes.Contains(sealed, readable) {
			t.Errorf("the private key can be read in the table")
		}
	}
	vault := c.vault()
	if err := vault.Check(t.Context(), c.kid); err != nil {
		t.Error(err)
	}
	vault.Master[31]++
	if err := vault.Check(t.Context(), c.kid); !errors.Is(err, webhooks.ErrWrongMasterKey) {
		t.Errorf("opened with another master key: %v", err)
	}
	vault.Master = webhooks.MasterKey{}
	if _, err := vault.Create(t.Context()); !errors.Is(err, webhooks.ErrNoMasterKey) {
		t.Errorf("sealed without a master key: %v", err)
	}
}

func TestSealedKeysCannotBeExchanged_D34(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	other := c.stageKey()
	admin := c.admin()
	_, err := admin.Exec(t.Context(), `UPDATE signing_key_secrets SET sealed = (SELECT sealed FROM signing_key_secrets WHERE kid = $1) WHERE kid = $2`,
		string(c.kid), string(other))
	must(t, err)
	if err := c.vault().Check(t.Context(), other); !errors.Is(err, webhooks.ErrWrongMasterKey) {
		t.Errorf("one key was taken for another: %v", err)
	}
}

func TestPrivateKeysAreDestroyedWhenTheySignNoMore_D34(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	next := c.stageKey()
	c.clock.pass(signingkey.StagedFor)
	c.activateKey(next)
	if err := c.vault().Check(t.Context(), c.kid); !errors.Is(err, webhooks.ErrKeyLost) {
		t.Errorf("the old private key: %v", err)
	}
	if err := c.vault().Check(t.Context(), next); err != nil {
		t.Errorf("the new private key: %v", err)
	}
	// A key that was made and never staged: something went wrong in between.
	public, err := c.vault().Create(t.Context())
	must(t, err)
	must(t, c.vault().Sweep(t.Context()))
	must(t, c.vault().Check(t.Context(), public.KID()))
	c.clock.pass(25 * time.Hour)
	must(t, c.vault().Sweep(t.Context()))
	if err := c.vault().Check(t.Context(), public.KID()); !errors.Is(err, webhooks.ErrKeyLost) {
		t.Errorf("an orphan is kept: %v", err)
	}
}

func TestAuditorsCannotReadSealedKeys(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	if c.count(`SELECT count(*) FROM (SELECT) x WHERE has_table_privilege('frontdesk_audit', 'signing_key_secrets', 'SELECT')`) != 0 {
		t.Error("frontdesk_audit may read signing_key_secrets")
	}
	if c.count(`SELECT count(*) FROM (SELECT) x WHERE has_table_privilege('frontdesk_audit', 'deliveries', 'SELECT')`) != 1 {
		t.Error("frontdesk_audit may not read deliveries")
	}
}

func (c *clinic) admin() *pgxpool.Pool {
	c.t.Helper()
	admin, err := postgres.NewPool(c.t.Context(), c.adminURL, 0)
	must(c.t, err)
	c.t.Cleanup(admin.Close)
	return admin
}

func TestTheKeySetHoldsAllButRetiredKeys_D34(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	wantKeys := func(want ...signingkey.KID) {
		t.Helper()
		set := c.published()
		for i, key := range set.Keys {
			if i >= len(want) || key.KeyID != string(want[i]) || key.Algorithm != "RS256" || key.Use != "sig" || !key.IsPublic() || !key.Valid() {
				t.Errorf("key %d is %+v", i, key)
			}
		}
		if len(set.Keys) != len(want) {
			t.Errorf("%d keys are published, want %d", len(set.Keys), len(want))
		}
	}
	wantKeys(c.kid)
	next := c.stageKey()
	wantKeys(c.kid, next)
	c.clock.pass(signingkey.StagedFor)
	c.activateKey(next)
	wantKeys(c.kid, next)
	c.clock.pass(signingkey.RetiringFor)
	c.retireKey(c.kid)
	wantKeys(next)
}

func TestTheKeySetShowsNothingPrivate(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	document, err := (&webhooks.KeySet{Keys: projections.SigningKeys{DB: c.pool}}).Document(t.Context())
	must(t, err)
	var set struct{ Keys []map[string]string }
	must(t, json.Unmarshal(document, &set))
	for name := range set.Keys[0] {
		switch name {
		case "kty", "use", "alg", "kid", "n", "e":
		default:
			t.Errorf("the key set shows %q", name)
		}
	}
}

func TestTheKeySetIsRepeatedWhileTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	pool, err := postgres.NewPool(t.Context(), c.url, 0)
	must(t, err)
	set := &webhooks.KeySet{Keys: projections.SigningKeys{DB: pool}}
	before, err := set.Document(t.Context())
	must(t, err)
	pool.Close()
	after, err := set.Document(t.Context())
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("%s, %v; want %s", after, err, before)
	}
	if _, err := (&webhooks.KeySet{Keys: projections.SigningKeys{DB: pool}}).Document(t.Context()); err == nil {
		t.Error("an empty set was made up")
	}
}

func TestOneKeyAtMostIsActive(t *testing.T) {
	t.Parallel()
	c := newClinic(t)
	kids := []signingkey.KID{c.stageKey(), c.stageKey()}
	c.clock.pass(signingkey.StagedFor)
	failed := make(chan error, len(kids))
	for _, kid := range kids {
		go func() {
			failed <- commands.Desk{Store: c.store, Vault: c.vault(), Now: c.clock.Now}.
				ActivateSigningKey(t.Context(), commands.ActivateSigningKey{KID: kid})
		}()
	}
	for range kids {
		must(t, <-failed)
	}
	if n := c.count(`SELECT count(*) FROM signing_keys WHERE state = 'active'`); n != 1 {
		t.Errorf("%d keys are active", n)
	}
}

func TestMasterKeysAreReadInBase64AndHexadecimal(t *testing.T) {
	t.Parallel()
	raw := bytes.Repeat([]byte{7}, 32)
	for _, text := range []string{base64.StdEncoding.EncodeToString(raw) + "\n", " " + hex.EncodeToString(raw)} {
		file := filepath.Join(t.TempDir(), "master.key")
		must(t, os.WriteFile(file, []byte(text), 0o600))
		key, err := webhooks.ReadMasterKey(file)
		if err != nil || key != webhooks.MasterKey(raw) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "short", base64.StdEncoding.EncodeToString(raw[:31]), hex.EncodeToString(make([]byte, 32))} {
		if _, err := webhooks.ParseMasterKey(text); !errors.Is(err, webhooks.ErrMasterKeyForm) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := webhooks.ReadMasterKey(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestAMasterKeyIsNeverPrinted(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"%v", "%s", "%+v", "%#v"} {
		if got := fmt.Sprintf(verb, webhooks.MasterKey{65, 66, 67}); got != "[master key]" {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}
