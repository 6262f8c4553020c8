package signin

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/fault"
	"frontdesk/domain/staff"
)

// ChallengeLifetime is how long a challenge is valid.
const ChallengeLifetime = 5 * time.Minute

// ErrPasskey is the one refusal of a passkey, whatever the reason. If it has a time, no
// passkey is checked before then.
var ErrPasskey = fault.New(fault.Forbidden, "passkey-refused", "This passkey was not accepted.")

// Purpose is the purpose of a passkey signature, which is valid for no other.
type Purpose string

// The purposes.
const (
	ToSignIn      Purpose = "sign-in" // with the passkey only
	AfterPassword Purpose = "second"
	ToConfirm     Purpose = "confirm"
	ToAdd         Purpose = "add"
)

// Ask is a request for a passkey signature: its purpose, site and browser.
type Ask struct {
	Purpose Purpose
	Tenant  string
	Site    Site
	Member  staff.ID // the required owner; zero for any
	Binding string   // a secret of this browser, such as a session's token; "" for none
}

// Challenges issues what passkeys sign. A challenge is not stored before it is signed,
// so strangers can request any number. The browser keeps a cookie with random bits and
// the challenge's expiry, and the challenge is the MAC over these and over the whole
// ask. A changed part gives another challenge, which no passkey has signed.
type Challenges struct {
	Keys func() [][32]byte // at least one; the same for every process. The first one makes challenges, all check them
	Now  func() time.Time
}

// challenge is a challenge with its expiry.
type challenge struct {
	bits [sha256.Size]byte
	ends time.Time
}

// String is the form that browsers sign.
func (c challenge) String() string { return base64.RawURLEncoding.EncodeToString(c.bits[:]) }

// keptSize is the size of 32 random bytes, a time in seconds, and the tag of the key.
const (
	tagged   = 32 + 8
	keptSize = tagged + 4
)

// begin returns a new challenge, and the browser's part of it.
func (c Challenges) begin(a Ask) (challenge, string) {
	kept := make([]byte, keptSize)
	_, _ = rand.Read(kept) // never fails
	binary.BigEndian.PutUint64(kept[32:], uint64(c.Now().Add(ChallengeLifetime).Unix()))
	key := c.Keys()[0]
	copy(kept[tagged:], keyTag(key, kept))
	return newChallenge(key, a, kept), base64.RawURLEncoding.EncodeToString(kept)
}

// find returns the challenge for the browser's part, or [ErrPasskey] if it has expired or
// if passkeys are impossible at the site.
func (c Challenges) find(a Ask, kept string) (challenge, error) {
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(kept)
	if err != nil || len(bytes) != keptSize || !a.Site.Named() {
		return challenge{}, ErrPasskey
	}
	keys := c.Keys()
	at := slices.IndexFunc(keys, func(key [32]byte) bool { return hmac.Equal(bytes[tagged:], keyTag(key, bytes)) })
	if at < 0 {
		return challenge{}, ErrPasskey
	}
	found := newChallenge(keys[at], a, bytes)
	if !c.Now().Before(found.ends) {
		return challenge{}, ErrPasskey
	}
	return found, nil
}

// keyTag tells which key has made a challenge, since the master key may have been rotated.
func keyTag(key [32]byte, kept []byte) []byte {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(append([]byte("tag"), kept[:tagged]...)) // no challenge is over so few bytes
	return mac.Sum(nil)[:keptSize-tagged]
}

func newChallenge(key [32]byte, a Ask, kept []byte) challenge {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(kept) // of one length, as the member's id is; no other part has a zero byte
	mac.Write(a.Member.UUID[:])
	for _, part := range []string{string(a.Purpose), a.Tenant, a.Site.Origin, a.Binding} {
		mac.Write(append([]byte(part), 0))
	}
	return challenge{[sha256.Size]byte(mac.Sum(nil)), time.Unix(int64(binary.BigEndian.Uint64(kept[32:])), 0)}
}

// Site is the address of the pages. A passkey belongs to one relying party, and signs
// at no other.
type Site struct {
	RP     string // the host's name
	Origin string // scheme, host and port, as browsers write them
}

// Named reports whether passkeys can belong to the site: its host has a name, and on
// plain http the name is localhost.
func (s Site) Named() bool {
	return protocol.ValidateRPID(s.RP) == nil && (s.RP == "localhost" || strings.HasPrefix(s.Origin, "https://"))
}

// relying verifies passkey signatures for the site. It ignores unrequested extension
// outputs, because some authenticators always send them.
func (s Site) relying() (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{
		RPID: s.RP, RPDisplayName: "frontdesk", RPOrigins: []string{s.Origin},
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			RequireResidentKey: protocol.ResidentKeyRequired(), ResidentKey: protocol.ResidentKeyRequirementRequired,
			UserVerification: protocol.VerificationRequired,
		},
		AttestationPreference:             protocol.PreferNoAttestation,
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
}

// owner is a member of staff for the webauthn library.
type owner struct {
	id             staff.ID
	username, name string
	passkeys       []Passkey
}

func (o owner) WebAuthnID() []byte          { return o.id.UUID[:] }
func (o owner) WebAuthnName() string        { return o.username }
func (o owner) WebAuthnDisplayName() string { return o.name }

func (o owner) WebAuthnCredentials() []webauthn.Credential {
	all := make([]webauthn.Credential, len(o.passkeys))
	for i, k := range o.passkeys {
		all[i] = webauthn.Credential{
			ID: k.credential, PublicKey: k.publicKey, Flags: webauthn.CredentialFlags{BackupEligible: k.backupEligible},
			Authenticator: webauthn.Authenticator{SignCount: k.signCount},
		}
		for _, transport := range k.transports {
			all[i].Transport = append(all[i].Transport, protocol.AuthenticatorTransport(transport))
		}
	}
	return all
}

// session is the state of a ceremony for the library. Our own clock has checked its
// age.
func (o owner) session(c challenge) webauthn.SessionData {
	s := webauthn.SessionData{Challenge: c.String(), UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault()}
	if o.id != (staff.ID{}) {
		s.UserID = o.WebAuthnID()
	}
	return s
}

// BeginLogin returns the options for a signature, as JSON, and the browser's part of the
// challenge. Passkeys is empty if any passkey may sign.
func (p Passkeys) BeginLogin(a Ask, passkeys []Passkey) (options []byte, kept string, err error) {
	site, err := a.Site.relying()
	if err != nil {
		return nil, "", err
	}
	c, kept := p.Challenges.begin(a)
	begin := func() (*protocol.CredentialAssertion, *webauthn.SessionData, error) {
		return site.BeginDiscoverableLogin()
	}
	if a.Member != (staff.ID{}) {
		begin = func() (*protocol.CredentialAssertion, *webauthn.SessionData, error) {
			return site.BeginLogin(owner{id: a.Member, passkeys: passkeys})
		}
	}
	assertion, _, err := begin()
	if err != nil {
		return nil, "", fmt.Errorf("ask for a passkey: %w", err)
	}
	assertion.Response.Challenge = c.bits[:] // replaces the library's own
	options, err = json.Marshal(assertion.Response)
	return options, kept, err
}

// FinishLogin returns the owner of the passkey that signed the challenge. With
// [ErrPasskey], it returns the account that was tried; zero if nothing was checked. A
// member of staff who may not sign in has no passkey.
func (p Passkeys) FinishLogin(ctx context.Context, a Ask, kept, signed string) (h Holder, err error) {
	c, err := p.Challenges.find(a, kept)
	if err != nil {
		return h, err
	}
	said, err := protocol.ParseCredentialRequestResponseBytes([]byte(signed))
	if err != nil {
		return h, fmt.Errorf("%w (%w)", ErrPasskey, err)
	}
	member := owner{id: ownerOf(a, said)}
	if member.passkeys, err = p.List(ctx, a.Tenant, member.id); err != nil {
		return h, err
	}
	if len(member.passkeys) > 0 {
		h.Staff = member.id
	}
	k, err := verify(a.Site, c, member, said)
	if errors.Is(err, errCount) {
		p.warnOfCopy(ctx, a, k)
		return h, ErrPasskey
	}
	if err != nil {
		return h, err
	}
	return k.holder, p.recordUse(ctx, a, k, c)
}

// ownerOf returns the required owner, or else the claimed one. The zero owner has no
// passkeys.
func ownerOf(a Ask, said *protocol.ParsedCredentialAssertionData) staff.ID {
	if a.Member != (staff.ID{}) {
		return a.Member
	}
	handle, _ := uuid.FromBytes(said.Response.UserHandle)
	return staff.ID{UUID: handle}
}

// verify returns the passkey that has signed, with its new count.
func verify(at Site, c challenge, by owner, said *protocol.ParsedCredentialAssertionData) (Passkey, error) {
	site, err := at.relying()
	if err != nil {
		return Passkey{}, err
	}
	signed, err := site.ValidateLogin(by, by.session(c), said)
	if err != nil {
		return Passkey{}, fmt.Errorf("%w (%w)", ErrPasskey, err)
	}
	for _, k := range by.passkeys {
		if string(k.credential) != string(signed.ID) {
			continue
		}
		if signed.Authenticator.CloneWarning {
			return k, errCount
		}
		k.signCount = signed.Authenticator.SignCount
		return k, nil
	}
	return Passkey{}, ErrPasskey
}

// BeginRegistration returns the options to create a passkey, as JSON, and the browser's
// part of the challenge.
func (p Passkeys) BeginRegistration(a Ask, s Session, passkeys []Passkey) (options []byte, kept string, err error) {
	site, err := a.Site.relying()
	if err != nil {
		return nil, "", err
	}
	c, kept := p.Challenges.begin(a)
	by := owner{s.Staff, s.Username, s.Name, passkeys}
	creation, _, err := site.BeginRegistration(by, func(o *protocol.PublicKeyCredentialCreationOptions) error {
		o.Challenge = c.bits[:]
		for _, k := range by.WebAuthnCredentials() {
			o.CredentialExcludeList = append(o.CredentialExcludeList, k.Descriptor())
		}
		return nil
	})
	if err != nil {
		return nil, "", fmt.Errorf("ask for a new passkey: %w", err)
	}
	options, err = json.Marshal(creation.Response)
	return options, kept, err
}

// FinishRegistration returns the passkey that was created for the challenge, without a
// name, or [ErrPasskey]. It neither asks for attestation nor trusts it.
func (p Passkeys) FinishRegistration(ctx context.Context, a Ask, kept, signed string) (staff.PasskeyAdded, error) {
	c, err := p.Challenges.find(a, kept)
	if err != nil {
		return staff.PasskeyAdded{}, err
	}
	site, err := a.Site.relying()
	if err != nil {
		return staff.PasskeyAdded{}, err
	}
	said, err := protocol.ParseCredentialCreationResponseBytes([]byte(signed))
	if err != nil || attested(said) {
		return staff.PasskeyAdded{}, ErrPasskey
	}
	by := owner{id: a.Member}
	made, err := site.CreateCredential(by, by.session(c), said)
	if err != nil {
		return staff.PasskeyAdded{}, fmt.Errorf("%w (%w)", ErrPasskey, err)
	}
	return added(made), p.storeChallenge(ctx, p.DB, c)
}

// attested reports whether the passkey comes with attestation. Browsers leave it out by
// default; then there is nothing to read.
func attested(said *protocol.ParsedCredentialCreationData) bool {
	object := said.Response.AttestationObject
	_, chain := object.AttStatement["x5c"]
	return object.Format != string(protocol.AttestationFormatNone) && (object.Format != string(protocol.AttestationFormatPacked) || chain)
}

func added(made *webauthn.Credential) staff.PasskeyAdded {
	p := staff.PasskeyAdded{
		Passkey: staff.PasskeyID{UUID: event.NewID()}, Credential: made.ID, PublicKey: made.PublicKey,
		BackupEligible: made.Flags.BackupEligible, SignCount: made.Authenticator.SignCount,
	}
	p.AAGUID, _ = uuid.FromBytes(made.Authenticator.AAGUID) // the library has checked its length
	for _, transport := range made.Transport {
		p.Transports = append(p.Transports, string(transport))
	}
	return p
}
