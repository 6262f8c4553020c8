package projections_test

import (
	"testing"

	"frontdesk/domain/patient"
	"frontdesk/projections"
)

// The last details count. Another practice's patient of the same identifier has none.
func TestContactsAreTheLastOnes_D148(t *testing.T) {
	t.Parallel()
	d := peopled(t)
	stream := patient.StreamOf(elm, ann)
	contacts := projections.Contacts{DB: d.Pool, Opens: d.Keys}
	find := func(tenant string, want patient.Contact) {
		t.Helper()
		if got, err := contacts.Find(t.Context(), tenant, ann, bill); err != nil || got[ann] != want || got[bill] != (patient.Contact{}) {
			t.Errorf("at %s: %+v, %v, want %+v", tenant, got, err, want)
		}
	}
	find(elm, patient.Contact{})
	first := patient.ContactDetailsSet{Patient: ann, Telephone: "020 7946 0958", NHSNumber: "9434765919"}
	last := patient.ContactDetailsSet{Patient: ann, Email: "ann@example.org"}
	d.Happens(t, stream, first)
	find(elm, first.Contact())
	d.Happens(t, stream, last)
	find(elm, last.Contact())
	find(oak, patient.Contact{})
	var unencrypted int
	err := d.Pool.QueryRow(t.Context(), `SELECT count(*) FROM events WHERE data LIKE '%ann@example.org%' OR data LIKE '%9434765919%'`).Scan(&unencrypted)
	if err != nil || unencrypted != 0 {
		t.Errorf("%d events hold details in clear, %v", unencrypted, err)
	}
	d.DestroyKey(t, ann)
	if got, err := (projections.Contacts{DB: d.Pool, Opens: d.Names().Opens}).Find(t.Context(), elm, ann); err != nil || len(got) != 0 {
		t.Errorf("without the key: %+v, %v", got, err)
	}
}
