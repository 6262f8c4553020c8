package pagekit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"frontdesk/adapters/sealing"
	"frontdesk/domain/staff"
)

// Typed seals the form of a member of staff, so that the browser can carry it over a
// sign-in (D151). The service stores nothing of it.
type Typed struct {
	Keys func() [][32]byte // at least one; the same for every process. The first one seals, all open
	Now  func() time.Time
}

// Limits of a carried form.
const (
	typedLifetime = 24 * time.Hour
	typedBytes    = 192 << 10 // of its fields
	carriedBytes  = 264 << 10 // of its fields, sealed
)

// typedForm is a form, as it is carried.
type typedForm struct {
	Address string // where it was sent
	Page    string // the address at which it is shown
	Fields  url.Values
	Ends    time.Time
}

// secrets are the fields whose form is never carried.
var secrets = []string{"password", "present", "signed"}

// seal seals a form for one member of one practice. It returns "" for a form that is too
// long or that holds a secret.
func (t Typed) seal(tenant string, member staff.ID, form typedForm) string {
	if slices.ContainsFunc(secrets, form.Fields.Has) {
		return ""
	}
	form.Fields = without(form.Fields, "token")
	plain, err := json.Marshal(form)
	if err != nil || len(plain) > typedBytes {
		return ""
	}
	sealed, err := sealing.MasterKey(t.Keys()[0]).Seal(plain, boundTo(tenant, member))
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// open returns a form of this member at this practice. Anything else is false: an altered
// form, another member's or practice's, or one that is too old.
func (t Typed) open(tenant string, member staff.ID, carried string) (form typedForm, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(carried)
	if err != nil {
		return form, false
	}
	for _, key := range t.Keys() {
		plain, err := sealing.MasterKey(key).Open(sealed, boundTo(tenant, member))
		if err == nil && json.Unmarshal(plain, &form) == nil {
			return form, t.Now().Before(form.Ends)
		}
	}
	return form, false
}

func boundTo(tenant string, member staff.ID) []byte {
	return append([]byte("typed\x00"+tenant+"\x00"), member.UUID[:]...)
}

func without(fields url.Values, name string) url.Values {
	rest := url.Values{}
	for field, values := range fields {
		if field != name {
			rest[field] = values
		}
	}
	return rest
}

// mark ends the tokens of a member's forms. It tells whose a form is after its session, and
// any trace of the session, has gone.
func (t Typed) mark(tenant string, member staff.ID) string {
	return "." + base64.RawURLEncoding.EncodeToString(append(member.UUID[:], tagOf(t.Keys()[0], tenant, member)...))
}

// owner returns the member whose form has this token.
func (t Typed) owner(tenant, token string) (member staff.ID, ok bool) {
	_, mark, _ := strings.Cut(token, ".")
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(mark)
	if err != nil || len(bytes) != len(member.UUID)+tagBytes {
		return member, false
	}
	member.UUID = uuid.UUID(bytes[:len(member.UUID)])
	ok = slices.ContainsFunc(t.Keys(), func(key [32]byte) bool { return hmac.Equal(bytes[len(member.UUID):], tagOf(key, tenant, member)) })
	return member, ok
}

const tagBytes = 16

// tagOf authenticates a mark. Nothing that is sealed begins with its first byte.
func tagOf(key [32]byte, tenant string, member staff.ID) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write([]byte("mark\x00" + tenant + "\x00"))
	mac.Write(member.UUID[:])
	return mac.Sum(nil)[:tagBytes]
}
