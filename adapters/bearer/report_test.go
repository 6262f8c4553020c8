package bearer_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/bearer/bearertest"
	"frontdesk/adapters/clock"
	"frontdesk/adapters/outbound"
)

func TestOfEachRefusedKeyItIsKnownWhy_D92(t *testing.T) {
	t.Parallel()
	public := bearertest.JWK(app.Kid, &app.Key.PublicKey)
	for why, key := range map[string]any{
		"it is not a JSON object": "key",
		"it has no kid":           mine("kid", nil),
		"its kid is not of the type that RFC 7517 gives it":     mine("kid", 7),
		"its key_ops is not of the type that RFC 7517 gives it": mine("key_ops", "verify"),
		"its kty is not RSA":                              mine("kty", "EC"),
		`its use is "enc": it must be sig, or absent`:     mine("use", "enc"),
		`its alg is "PS256": it must be RS256, or absent`: mine("alg", "PS256"),
		"its key_ops do not hold verify":                  mine("key_ops", []string{"encrypt"}),
		"it has no n":                                     mine("n", nil),
		"its n is not base64url without padding":          mine("n", public["n"].(string)+"=="),
		"it has 1024 bits: it must have 2048 to 4096":     modulus(1024, 1),
		"it has 8192 bits: it must have 2048 to 4096":     modulus(8192, 1),
		"its n is even, and so no modulus of RSA":         modulus(2048, 0),
		"it has no e":                                mine("e", ""),
		"its e is not base64url without padding":     mine("e", "AQAB="),
		"its e must be odd and from 3 to 2147483647": mine("e", "AQ"),
	} {
		set, err := bearer.ReadKeySet(bearertest.KeySet(key))
		if verdicts := set.Verdicts(); err == nil || len(verdicts) != 1 || verdicts[0].Why != why || verdicts[0].Usable || verdicts[0].Private {
			t.Errorf("%+v (%v), want %q", verdicts, err, why)
		}
	}
	if set, err := bearer.ReadKeySet(app.JWKS()); err != nil || !slices.Equal(set.Verdicts(), []bearer.KeyVerdict{{Kid: app.Kid, Usable: true}}) {
		t.Errorf("a sound key: %+v, %v", set.Verdicts(), err)
	}
}

// An application that publishes a private key must be warned, whatever else is wrong
// with the key.
func TestAPublishedPrivateKeyIsSeen_D92(t *testing.T) {
	t.Parallel()
	for name, key := range map[string]any{
		"an RSA key":        mine("d", "AQAB"),
		"its primes alone":  mine("p", "AQAB"),
		"without a kid":     merged(mine("d", "AQAB"), "kid", nil),
		"with a wrong type": merged(mine("d", "AQAB"), "kid", 7),
		"for encryption":    merged(mine("d", "AQAB"), "use", "enc"),
		"of a curve":        map[string]any{"kty": "EC", "kid": "x", "d": "AQAB"},
		"a symmetric key":   map[string]any{"kty": "oct", "kid": "x", "k": "AQAB"},
	} {
		set, err := bearer.ReadKeySet(bearertest.KeySet(key))
		verdict := set.Verdicts()[0]
		if err == nil || !verdict.Private || verdict.Usable || !strings.Contains(verdict.Why, "it holds a private key: rotate it now") {
			t.Errorf("%s: %+v", name, verdict)
		}
	}
}

func merged(key map[string]any, name string, value any) map[string]any {
	key = maps.Clone(key)
	key[name] = value
	return key
}

func TestKeysWithSameKidAreReported_D92(t *testing.T) {
	t.Parallel()
	set, _ := bearer.ReadKeySet(bearertest.KeySet(mine("x", 1), mine("use", "enc"), mine("y", 1)))
	whys := []string{}
	for _, verdict := range set.Verdicts() {
		whys = append(whys, verdict.Why)
	}
	twice := "its kid is held twice: each key must have one of its own"
	if want := []string{twice, `its use is "enc": it must be sig, or absent`, twice}; !slices.Equal(whys, want) {
		t.Errorf("%q", whys)
	}
}

// A kid and the members of a key are the application's text: it must not break a
// terminal or fill the memory.
func TestReportedKeysAreShortAndPrintable_D92(t *testing.T) {
	t.Parallel()
	set, _ := bearer.ReadKeySet(bearertest.KeySet(mine("kid", "a\x1b[31m\n"+strings.Repeat("x", 1000)), mine("use", "\x1b"+strings.Repeat("é", 1000))))
	for _, verdict := range set.Verdicts() {
		if shown := verdict.Kid + verdict.Why; len(shown) > 600 || strings.ContainsAny(shown, "\x1b\n") {
			t.Errorf("%q", shown)
		}
	}
}

// How a URL failed is reported without any text of the network.
func TestFetchResultIsReported_D92(t *testing.T) {
	t.Parallel()
	for want, answer := range map[string]http.HandlerFunc{
		"unreachable: The URL answered with status 404: it must answer 200 with the key set.": body(404, "no"),
		"unreachable: The URL answered with status 500: it must answer 200 with the key set.": body(500, "no"),
		"unreachable: The URL answered with status 302, a redirect, which is not followed: register the address that it leads to.": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/secret", http.StatusFound)
		},
		"unreachable: The URL's host closed the connection before its answer was whole.":      func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"not-json: The answer is larger than 256 KiB.":                                        body(200, strings.Repeat(" ", 256<<10)+"{}"),
		"not-json: The answer is not JSON: there is no value.":                                body(200, ""),
		"not-json: The answer is not JSON: at the very beginning, no JSON value begins here.": body(200, "<html>"),
		"not-json: The answer is JSON, but not an object.":                                    body(200, "[]"),
		"no-usable-key: The key set has no list of keys with a key in it.":                    body(200, `{"Keys":[{}]}`),
		"no-usable-key: Of the 2 keys in the set, 0 can verify tokens.":                       body(200, `{"keys":[{},{}]}`),
		"no-usable-key: The only key in the set cannot verify tokens.":                        body(200, `{"keys":[{}]}`),
		"read: The only key in the set can verify tokens.":                                    body(200, string(app.JWKS())),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			server := keyServer(t)
			server.Answer(answer)
			wantReport(t, guardedCache(t, loopback), server.URL, want)
		})
	}
}

// The caller gets no more than the category of D10.
func TestCallerLearnsOnlyCategory_D10(t *testing.T) {
	t.Parallel()
	cache := cacheOf(t, roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("<html>"))}, nil
	}), 0)
	_, err := cache.Get(t.Context(), keysURL)
	refused(t, err, "Unable to obtain JWKS from https://keys.example/jwks.json: the response was not JSON")
}

func wantReport(t *testing.T, cache *bearer.KeyCache, url, want string) {
	t.Helper()
	_, _ = cache.Get(t.Context(), url)
	last := cache.Report(url).LastFetch
	if got := string(last.Outcome) + ": " + last.Description; got != want || last.At.IsZero() {
		t.Errorf("%s at %v, want %s", got, last.At, want)
	}
}

func TestConnectionFailureIsReported_D92(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = free.Close() // the port is closed now
	plain := keyServer(t)
	cache := guardedCache(t, loopback)
	for url, want := range map[string]string{
		secure.URL: "unreachable: The certificate of the URL's host is not trusted: no authority that is known here has signed it, or an intermediate certificate is not sent with it.",
		"https://" + strings.TrimPrefix(plain.URL, "http://"): "unreachable: The URL's host did not agree on a TLS connection.",
		"http://" + free.Addr().String():                      "unreachable: The URL's host refused the connection.",
		"http://10.0.0.1/":                                    "unreachable: The URL is not called. The URL must start with https: http is for opened networks only.",
	} {
		wantReport(t, cache, url, want)
	}
	wantReport(t, guardedCache(t, outbound.Guard{}), strings.Replace(secure.URL, "127.0.0.1", "localhost", 1),
		"unreachable: The URL is not called, because the address of its host is not a public one.")
}

// Resolving a real unknown name would leave the machine.
func TestUnknownHostIsReported_D92(t *testing.T) {
	t.Parallel()
	unresolved := roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "keys.example", Server: "10.0.0.1", IsNotFound: true}}
	})
	wantReport(t, cacheOf(t, unresolved, 0), keysURL, "unreachable: The name of the URL's host could not be resolved.")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

func TestAnAnswerThatDoesNotComeIsReported_D92(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		wantReport(t, cacheOf(t, &publisher{latency: time.Hour}, 0), keysURL, "unreachable: The URL did not answer within 5 s.")
	})
}

func TestBadCertificateIsReported_D92(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: outbound.NewTransport(loopback, roots), CheckURL: loopback.CheckURL, Now: func() time.Time { return noon },
	})
	t.Cleanup(cache.Close)
	wantReport(t, cache, strings.Replace(server.URL, "127.0.0.1", "localhost", 1),
		"unreachable: The certificate of the URL's host is not trusted: it is for another name.")
}

func TestCertificateFaultsAreReported(t *testing.T) {
	t.Parallel()
	leaf := &x509.Certificate{}
	for want, cause := range map[string]error{
		"it has expired, or is not valid yet": x509.CertificateInvalidError{Cert: leaf, Reason: x509.Expired},
		"it is not valid":                     x509.CertificateInvalidError{Cert: leaf, Reason: x509.IncompatibleUsage},
		"it is for another name":              x509.HostnameError{Certificate: leaf, Host: "keys.example"},
		"no authority that is known here has signed it, or an intermediate certificate is not sent with it": x509.UnknownAuthorityError{Cert: leaf},
	} {
		untrusted := roundTrip(func(*http.Request) (*http.Response, error) { return nil, &tls.CertificateVerificationError{Err: cause} })
		wantReport(t, cacheOf(t, untrusted, 0), keysURL, "unreachable: The certificate of the URL's host is not trusted: "+want+".")
	}
}

func TestTheKeysHeldAreReported_D92(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &publisher{}
		cache := cacheOf(t, p, 0)
		if report := cache.Report(keysURL); report.Keys != nil || !report.LastFetch.At.IsZero() {
			t.Errorf("before any fetch: %+v", report)
		}
		first := clock.System()
		mustGet(t, cache)
		time.Sleep(time.Hour)
		if report := cache.Report(keysURL); report.Keys != nil || !report.FetchedAt.IsZero() || !report.Until.IsZero() || !report.LastFetch.At.Equal(first) {
			t.Errorf("a set whose hour is over: %+v", report)
		}
		second := clock.System()
		mustGet(t, cache)
		report := cache.Report(keysURL)
		if want := (bearer.HeldKey{Kid: app.Kid, Since: first}); !slices.Equal(report.Keys, []bearer.HeldKey{want}) {
			t.Errorf("held: %+v", report.Keys)
		}
		if !report.FetchedAt.Equal(second) || !report.Until.Equal(second.Add(time.Hour)) {
			t.Errorf("fetched %v, until %v", report.FetchedAt, report.Until)
		}
	})
}

// A set with a private key may be used with its other keys indefinitely, and the
// operator is warned each hour.
func TestTheOperatorIsWarnedOfPrivateKeys_D92(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		leaked := merged(mine("d", "AQAB"), "kid", "leaked")
		set := bearertest.KeySet(mine("x", 1), leaked)
		var warned []string
		cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
			Transport: pipeTo(t, body(200, string(set))), CheckURL: func(string) error { return nil }, TTL: 20 * time.Minute, Now: clock.System,
			Warn: func(url string, report bearer.FetchReport) {
				warned = append(warned, url+" "+strings.Join(report.Private(), ","))
			},
		})
		defer cache.Close()
		for range 6 { // in two hours
			mustGetFrom(t, cache, "http://keys.example/")
			time.Sleep(20 * time.Minute)
		}
		if want := []string{"http://keys.example/ leaked", "http://keys.example/ leaked"}; !slices.Equal(warned, want) {
			t.Errorf("%q", warned)
		}
	})
}

func mustGetFrom(t *testing.T, cache *bearer.KeyCache, url string) {
	t.Helper()
	if _, err := cache.Get(t.Context(), url); err != nil {
		t.Error(err)
	}
}
