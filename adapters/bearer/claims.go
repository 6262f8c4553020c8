package bearer

import (
	"github.com/go-json-experiment/json/jsontext"
)

// The limits of a token's times, in seconds (D4).
const (
	maxLifetime = 60
	skew        = 60
)

// rawClaims are the claims as written. All other claims are ignored, including aud.
type rawClaims struct {
	Iss jsontext.Value `json:"iss"`
	Sub jsontext.Value `json:"sub"`
	Iat jsontext.Value `json:"iat"`
	Exp jsontext.Value `json:"exp"`
	Nbf jsontext.Value `json:"nbf"`
	Azp jsontext.Value `json:"azp"`
	Act jsontext.Value `json:"act"`
}

// claims are the typed claims.
type claims struct {
	iss, sub, azp string // azp is "" if it is absent
	iat, exp, nbf instant
	act           jsontext.Value
}

// readClaims refuses a claim that is missing, and then one of the wrong type.
func readClaims(raw []byte) (claims, error) {
	var r rawClaims
	if err := section("claims part", raw, &r); err != nil {
		return claims{}, err
	}
	var reader claimReader
	if err := r.present(); err != nil {
		return claims{iss: reader.text("iss", r.Iss)}, err
	}
	c := claims{
		iss: reader.text("iss", r.Iss),
		sub: reader.text("sub", r.Sub),
		iat: reader.instant("iat", r.Iat),
		exp: reader.instant("exp", r.Exp),
		nbf: reader.instant("nbf", r.Nbf),
		azp: reader.text("azp", r.Azp),
		act: r.Act,
	}
	return c, reader.err
}

func (r rawClaims) present() error {
	for _, claim := range []struct {
		name  string
		value jsontext.Value
	}{{"iss", r.Iss}, {"sub", r.Sub}, {"iat", r.Iat}, {"exp", r.Exp}} {
		if absent(claim.value) {
			return errMissing.filled(claim.name)
		}
	}
	return nil
}

// claimReader reads claims by type and keeps the first refusal. An absent claim reads
// as the zero value.
type claimReader struct{ err error }

func (c *claimReader) text(name string, v jsontext.Value) string {
	s, ok := printable(v)
	if !ok && !absent(v) {
		c.refuse(errText.filled(name))
	}
	return s
}

func (c *claimReader) instant(name string, v jsontext.Value) instant {
	if absent(v) {
		return instant{}
	}
	if v.Kind() == '0' {
		if at, ok := parseInstant(string(v)); ok {
			return at
		}
	}
	c.refuse(errNumber.filled(name))
	return instant{}
}

func (c *claimReader) refuse(err error) {
	if c.err == nil {
		c.err = err
	}
}

// check checks the claims together at an instant.
func (c claims) check(now instant) error {
	switch {
	case c.sub != c.iss && c.azp == "":
		return errMissing.filled("azp")
	case now.after(c.exp.plus(skew)):
		return errExpired.filled(span(now.since(c.exp)), c.exp.format(now))
	case c.iat.after(now.plus(skew)):
		return ahead(errFuture, "iat", c.iat, now)
	case c.nbf.after(now.plus(skew)):
		return ahead(errNotYet, "nbf", c.nbf, now)
	case c.exp.after(c.iat.plus(maxLifetime)):
		return c.tooLong(now)
	case c.azp != "" && c.azp != c.iss:
		return errAzp
	}
	return nil
}

// ahead refuses a claim that is later than now.
func ahead(refusal *Refusal, name string, at, now instant) error {
	if unit := at.unit(now); unit != "" {
		return errUnit.filled(name, at.seconds, unit)
	}
	return refusal.filled(span(at.since(now)), at.format(now))
}

func (c claims) tooLong(now instant) error {
	if unit := c.exp.unit(now); unit != "" {
		return errUnit.filled("exp", c.exp.seconds, unit)
	}
	lifetime := span(c.exp.since(c.iat))
	if c.exp.fraction != c.iat.fraction {
		lifetime = "over " + lifetime
	}
	return errLifetime.filled(lifetime)
}
