package keyring_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/keyring"
	"frontdesk/adapters/postgres/postgrestest"
)

func TestAgesOfKeysAreMeasured_D110(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	ages := keyring.Ages(db.Pool(t))
	if got := enginetest.Measured(t, ages); len(got) != 0 {
		t.Errorf("without keys it reports %v", got)
	}
	_, err := db.AdminPool(t).Exec(t.Context(), `
		INSERT INTO master_keys (id, since, replaced_at) VALUES ('old', to_timestamp(1), to_timestamp(2)), ('new', to_timestamp(2), NULL);
		INSERT INTO signing_keys (kid, n, e, state, since, staged_at) VALUES ('a', '', '', 'retired', to_timestamp(3), to_timestamp(3)),
			('b', '', '', 'active', to_timestamp(4), to_timestamp(3)), ('c', '', '', 'staged', to_timestamp(6), to_timestamp(6)), ('d', '', '', 'staged', to_timestamp(5), to_timestamp(5))`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"master_key_since_timestamp_seconds": 2, "signing_key_since_timestamp_seconds active": 4, "signing_key_since_timestamp_seconds staged": 5,
	}
	if diff := cmp.Diff(want, enginetest.Measured(t, ages)); diff != "" {
		t.Errorf("ages (-want +got):\n%s", diff)
	}
}
