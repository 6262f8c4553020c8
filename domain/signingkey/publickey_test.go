package signingkey_test

import (
	"crypto/rsa"
	"encoding/base64"
	"math/big"
	"testing"

	"frontdesk/domain/signingkey"
)

// The example of RFC 7638, §3.1.
var rfc7638 = signingkey.PublicKey{
	N: "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMst" +
		"n64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbI" +
		"SD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
	E: "AQAB",
}

func TestTheKIDIsTheThumbprintOfRFC7638_D34(t *testing.T) {
	t.Parallel()
	if got, want := rfc7638.KID(), signingkey.KID("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"); got != want {
		t.Errorf("kid %s, want %s", got, want)
	}
}

func TestAPublicKeyIsWrittenAsAJWKWritesIt(t *testing.T) {
	t.Parallel()
	n, err := base64.RawURLEncoding.DecodeString(rfc7638.N)
	if err != nil {
		t.Fatal(err)
	}
	key := &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: 65537}
	if got := signingkey.Public(key); got != rfc7638 {
		t.Errorf("got %v, want %v", got, rfc7638)
	}
}
