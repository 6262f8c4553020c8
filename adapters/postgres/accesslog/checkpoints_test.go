package accesslog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/adapters/postgres"
	"frontdesk/adapters/postgres/accesslog"
	"frontdesk/adapters/postgres/enginetest"
	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/proof"
)

// noted is a checkpoint in the form of a signed note; the signature is another matter.
func noted(tree proof.Tree, log byte, epoch int, size int64, root string, signatures int) accesslog.Checkpoint {
	c := proof.Checkpoint{Origin: proof.Origin{Name: "api.example", Log: uuid.UUID{15: log}, Epoch: epoch}, Size: size, Root: tlog.RecordHash([]byte(root))}
	return accesslog.Checkpoint{Tree: tree, Epoch: epoch, Size: size, Note: c.String() + "\n" + strings.Repeat("— api.example AAAAAGFiYw==\n", signatures)}
}

// The signer's role publishes checkpoints, and replaces none but by a newer one. Auditors publish
// nothing.
func TestCheckpointsKeepTheirOrder_D77(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := enginetest.On(t, db.URL)
	e.AppendMany(t, 5) // of no practice
	e.Drain(t)
	enginetest.MustExec(t, db.AdminPool(t), `UPDATE access_head SET idx = 2`)
	checkpoints := accesslog.Checkpoints{DB: postgres.On(asRole(t, db, postgres.SignerRole))}
	none, access := proof.Tree{Kind: proof.Events}, proof.Tree{Kind: proof.Access}
	auditors := accesslog.Checkpoints{DB: postgres.On(asAuditor(t, db))}
	if err := auditors.Publish(t.Context(), []accesslog.Checkpoint{noted(none, 1, 1, 3, "three", 1)}); !strings.Contains(enginetest.Text(err), "permission denied") {
		t.Errorf("an auditor publishes: %v", err)
	}
	publish := func(says string, all ...accesslog.Checkpoint) {
		t.Helper()
		if err := checkpoints.Publish(t.Context(), all); !strings.Contains(enginetest.Text(err), says) || says == "" && err != nil {
			t.Errorf("publishing: %v, want %q", err, says)
		}
	}
	publish("", noted(none, 1, 1, 3, "three", 1), noted(access, 2, 1, 1, "one", 1))
	publish("", noted(none, 1, 1, 3, "three", 2)) // with a cosignature
	publish("", noted(none, 1, 1, 3, "three", 1)) // and a signer that asks again
	publish("has been signed", noted(none, 1, 1, 3, "other", 3))
	publish("another log has been signed", noted(none, 2, 1, 4, "four", 1))
	publish("not come so far", noted(none, 1, 1, 6, "six", 1))
	publish("not come so far", noted(none, 1, 2, 4, "four", 1))
	publish("not come so far", noted(access, 2, 1, 99, "of nothing", 1))
	publish("no practice can have", noted(proof.Tree{Tenant: "No One", Kind: proof.Events}, 3, 1, 1, "one", 1), noted(none, 1, 1, 3, "three", 2)) // the serving role can write such events
	publish("not come so far", noted(proof.Tree{Tenant: "nowhere", Kind: proof.Access}, 3, 1, 1, "one", 1))
	publish("another log has been signed", noted(access, 9, 1, 2, "two", 1), noted(none, 1, 1, 4, "four", 1)) // the others are published
	publish("a newer checkpoint is there", noted(none, 1, 1, 3, "three", 3))

	newest, err := checkpoints.Newest(t.Context())
	if err != nil || len(newest) != 2 || newest[0] != noted(none, 1, 1, 4, "four", 1) || newest[1] != noted(access, 2, 1, 1, "one", 1) {
		t.Errorf("published %+v, %v", newest, err)
	}
	if _, err := asAuditor(t, db).Exec(t.Context(), `UPDATE checkpoints SET size = 1`); !strings.Contains(enginetest.Text(err), "permission denied") {
		t.Errorf("the role changes them itself: %v", err)
	}
	good := noted(none, 1, 1, 5, "five", 1)
	for name, bad := range map[string]string{
		"another size":    strings.Replace(good.Note, "\n5\n", "\n4\n", 1),
		"another epoch":   strings.Replace(good.Note, "/1\n", "/2\n", 1),
		"no signature":    strings.Split(good.Note, "—")[0],
		"no log":          strings.Replace(good.Note, "/log/", "/", 1),
		"more lines":      strings.Replace(good.Note, "\n\n", "\nmore\n\n", 1),
		"too long":        good.Note + strings.Repeat("— x AAAA\n", 2000),
		"other text":      good.Note + "and this",
		"another root":    strings.Replace(good.Note, "=\n\n", "\n\n", 1),
		"nothing but":     "",
		"a size of texts": strings.Replace(good.Note, "\n5\n", "\n05\n", 1),
	} {
		is := good
		if is.Note = bad; is.Note == good.Note {
			t.Fatalf("%s is good", name)
		}
		if err := checkpoints.Publish(t.Context(), []accesslog.Checkpoint{is}); !strings.Contains(enginetest.Text(err), "this is no checkpoint of a log") {
			t.Errorf("%s: %v", name, err)
		}
	}
	publish("", good)
}

// A note is as long as its signer and its witnesses make it; a practice's checkpoints of a
// day are one row.
func TestADayHasOneCheckpointOfATree_D77(t *testing.T) {
	t.Parallel()
	db := postgrestest.New(t)
	e := enginetest.On(t, db.URL)
	e.AppendMany(t, 5)
	e.Drain(t)
	checkpoints, none := accesslog.Checkpoints{DB: postgres.On(asRole(t, db, postgres.SignerRole))}, proof.Tree{Kind: proof.Events}
	for size := range int64(5) {
		if err := checkpoints.Publish(t.Context(), []accesslog.Checkpoint{noted(none, 1, 1, size+1, fmt.Sprint(size), 1)}); err != nil {
			t.Fatal(err)
		}
		if size == 2 {
			if _, err := db.AdminPool(t).Exec(t.Context(), `UPDATE checkpoints SET day = day - 1`); err != nil {
				t.Fatal(err)
			}
		}
	}
	var sizes []int64
	if err := db.Pool(t).QueryRow(t.Context(), `SELECT array_agg(size ORDER BY day) FROM checkpoints`).Scan(&sizes); err != nil {
		t.Fatal(err)
	}
	if len(sizes) != 2 || sizes[0] != 3 || sizes[1] != 5 {
		t.Errorf("of the two days there are checkpoints of sizes %v, want 3 and 5", sizes)
	}
	enginetest.MustExec(t, db.AdminPool(t), `UPDATE checkpoints SET day = day + 100 WHERE size = 3`) // a clock that was ahead then
	enginetest.MustExec(t, db.AdminPool(t), `DELETE FROM checkpoints WHERE size = 5`)
	if err := checkpoints.Publish(t.Context(), []accesslog.Checkpoint{noted(none, 1, 1, 5, "late", 1)}); err != nil {
		t.Fatal(err)
	}
	if newest, err := checkpoints.Of(t.Context(), none); err != nil || newest.Size != 5 {
		t.Errorf("after the clock was set back, the newest has size %d, %v; want 5", newest.Size, err)
	}
}
