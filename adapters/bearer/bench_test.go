package bearer_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/clock"
)

// BenchmarkVerification is the full check of a token whose keys are cached, compared
// with its minimum: bare RSA. x-bare is the ratio; the goals are 1.8 in total and 0.4
// for the checks without a key.
func BenchmarkVerification(b *testing.B) {
	minted := app.Token(noon)
	keys := mustKeys(b, app.JWKS())
	bare := bareVerification(minted)
	parse := func() error {
		_, err := bearer.Parse(minted, noon)
		return err
	}
	b.Run("bare", func(b *testing.B) { repeat(b, bare) })
	b.Run("keyless", func(b *testing.B) { compare(b, parse, bare) })
	b.Run("whole", func(b *testing.B) { compare(b, func() error { return judge(minted, keys) }, bare) })
}

// bareVerification is the signature check alone, with everything decoded beforehand.
func bareVerification(minted string) func() error {
	dot := strings.LastIndexByte(minted, '.')
	signature, err := base64.RawURLEncoding.DecodeString(minted[dot+1:])
	digest := sha256.Sum256([]byte(minted[:dot]))
	return func() error {
		if err != nil {
			return err
		}
		return rsa.VerifyPKCS1v15(&app.Key.PublicKey, crypto.SHA256, digest[:], signature)
	}
}

// BenchmarkJunk compares refusing with accepting: x-junk is how many of each kind are
// refused in the time of one good token.
func BenchmarkJunk(b *testing.B) {
	keys := mustKeys(b, app.JWKS())
	minted := app.Token(noon)
	good := func() error { return judge(minted, keys) }
	for name, junk := range map[string]string{
		"no token":  "junk",
		"8 KiB":     strings.Repeat("a", 8192),
		"alg none":  app.Token(noon, header("alg", "none")),
		"expired":   app.Token(noon.Add(-time.Hour)),
		"duplicate": app.Sign([]byte(rightHeader), []byte(strings.TrimSuffix(rightClaims, "}")+`,"a":1,"a":1}`)),
	} {
		b.Run(name, func(b *testing.B) {
			one := timeOf(b, good)
			for b.Loop() {
				if _, err := bearer.Parse(junk, noon); err == nil {
					b.Fatal("junk is accepted")
				}
			}
			b.ReportMetric(one/(float64(b.Elapsed())/float64(b.N)), "x-junk")
		})
	}
}

// BenchmarkCacheHit is the cost of a cached set.
func BenchmarkCacheHit(b *testing.B) {
	cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: &publisher{}, CheckURL: func(string) error { return nil }, Now: func() time.Time { return noon },
	})
	defer cache.Close()
	repeat(b, func() error {
		_, err := cache.Get(b.Context(), keysURL)
		return err
	})
}

// compare reports how many runs of bare take the time of one run of work.
func compare(b *testing.B, work, bare func() error) {
	one := timeOf(b, bare)
	repeat(b, work)
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/one, "x-bare")
}

func repeat(b *testing.B, work func() error) {
	b.ReportAllocs()
	for b.Loop() {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}
}

// timeOf returns the current time of one run of work on this machine, in nanoseconds.
func timeOf(b *testing.B, work func() error) float64 {
	const runs = 2000
	start := clock.Start()
	for range runs {
		if err := work(); err != nil {
			b.Fatal(err)
		}
	}
	return float64(start.Elapsed()) / runs
}
