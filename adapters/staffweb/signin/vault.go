package signin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"frontdesk/adapters/postgres"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// Vault keeps the hashes of passwords, outside the log. It implements
// commands.Passwords.
type Vault struct {
	DB     postgres.DB
	Hasher *Hasher
}

// Keep hashes a password and keeps the hash. It counts once the log has a
// staff.PasswordSet that names it.
func (v Vault) Keep(ctx context.Context, tenant string, member staff.ID, password string) (staff.CredentialID, error) {
	credential := staff.CredentialID{UUID: event.NewID()}
	hash, err := v.Hasher.Hash(ctx, password)
	if err == nil {
		_, err = v.DB.Exec(ctx, `INSERT INTO staff_passwords (tenant, staff, credential, hash) VALUES ($1, $2, $3, $4)`,
			tenant, member, credential, hash)
	}
	if err != nil {
		return staff.CredentialID{}, fmt.Errorf("keep password: %w", err)
	}
	return credential, nil
}

// Discard forgets every hash of a member of staff but one.
func (v Vault) Discard(ctx context.Context, tenant string, member staff.ID, but staff.CredentialID) error {
	_, err := v.DB.Exec(ctx, `DELETE FROM staff_passwords WHERE tenant = $1 AND staff = $2 AND credential <> $3`, tenant, member, but)
	if err != nil {
		return fmt.Errorf("discard old passwords: %w", err)
	}
	return nil
}

// Holder is who a username and its password belong to.
type Holder struct {
	Staff      staff.ID
	Credential staff.CredentialID
}

const holderOf = `
SELECT s.staff, s.credential, p.hash
FROM staff s JOIN staff_passwords p ON p.tenant = s.tenant AND p.staff = s.staff AND p.credential = s.credential
WHERE s.tenant = $1 AND s.username = $2 AND s.active`

// Check is the active member of staff whose username and password these are,
// if they are anybody's. It takes as long when they are nobody's.
func (v Vault) Check(ctx context.Context, tenant, username, password string) (holder Holder, right bool, err error) {
	if !utf8.ValidString(username) || strings.Contains(username, "\x00") {
		username = "" // nobody's, and text that the database takes
	}
	var hash string
	err = v.DB.QueryRow(ctx, holderOf, tenant, username).Scan(&holder.Staff, &holder.Credential, &hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Holder{}, false, fmt.Errorf("look up password: %w", err)
	}
	right, err = v.Hasher.Verify(ctx, hash, password)
	if err != nil || !right {
		return Holder{}, false, err
	}
	return holder, true, nil
}
