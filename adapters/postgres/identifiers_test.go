package postgres_test

import (
	"testing"

	"github.com/google/uuid"

	"frontdesk/adapters/postgres/postgrestest"
	"frontdesk/domain/patient"
)

// An identifier is read back as written, as a value, behind a pointer, in a list and as
// NULL; and Postgres sees an identifier, not text.
func TestIdentifiersTravelAsTheyAre(t *testing.T) {
	t.Parallel()
	pool := postgrestest.New(t).Pool(t)
	ann := patient.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000a")}
	var id, behind uuid.UUID
	var named patient.ID
	var none *uuid.UUID
	var list []patient.ID
	var absent *patient.ID
	left, text := ann.UUID, ""
	var inner *uuid.UUID
	nothing := true
	err := pool.QueryRow(t.Context(), `SELECT $1::uuid, $2::uuid, $3::uuid, $4::uuid[], $5::uuid, NULL::uuid, NULL::uuid, $6::text, $7::uuid IS NULL`,
		ann.UUID, ann, &ann.UUID, []patient.ID{ann, ann}, none, ann, &inner).
		Scan(&id, &named, &behind, &list, &none, &left, &absent, &text, &nothing)
	if err != nil {
		t.Fatal(err)
	}
	if id != ann.UUID || named != ann || behind != ann.UUID || len(list) != 2 || list[1] != ann || none != nil || absent != nil {
		t.Errorf("got %v, %v, %v, %v, %v, %v", id, named, behind, list, none, absent)
	}
	if left != ann.UUID || text != ann.String() || !nothing {
		t.Errorf("NULL made it %v, text is %q, a pointer to nothing is NULL: %t", left, text, nothing)
	}
}
