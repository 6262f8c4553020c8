package bearer_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"frontdesk/adapters/bearer/bearertest"
)

// Answers of servers that are broken, or worse. After each, the first call gets the
// fixed server's set.
func TestUnreadableAnswerIsReportedOnce(t *testing.T) {
	t.Parallel()
	right := string(app.JWKS())
	const (
		noResponse = "the URL did not respond"
		noJSON     = "the response was not JSON"
		noKey      = "the response held no usable key"
	)
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"404":                {status(404), noResponse},
		"500 with a set":     {body(500, right), noResponse},
		"203 with a set":     {body(203, right), noResponse},
		"204":                {status(204), noResponse},
		"a redirect":         {http.RedirectHandler("/jwks", http.StatusFound).ServeHTTP, noResponse},
		"hanging up":         {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, noResponse},
		"half of a set":      {halfOf(right), noResponse},
		"a megabyte of head": {vastHeader, noResponse},

		"HTML":               {body(200, "<!doctype html><title>Keys</title>"), noJSON},
		"nothing":            {body(200, ""), noJSON},
		"a list":             {body(200, "["+right+"]"), noJSON},
		"two sets":           {body(200, right+right), noJSON},
		"one byte too many":  {body(200, right+strings.Repeat(" ", 256<<10+1-len(right))), noJSON},
		"a gzip bomb":        {gzipBomb(), noJSON},
		"an error in JSON":   {body(200, `{"error":"no keys today"}`), noKey},
		"an empty set":       {body(200, `{"keys":[]}`), noKey},
		"a set of odd keys":  {body(200, `{"keys":[{"kty":"EC"},{"kty":"oct","k":"AQ"}]}`), noKey},
		"a set of small key": {body(200, string(bearertest.KeySet(modulus(1024, 1)))), noKey},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := keyServer(t)
			cache := guardedCache(t, loopback)
			server.Answer(test.answer)
			_, err := cache.Get(t.Context(), server.URL)
			refused(t, err, "Unable to obtain JWKS from "+server.URL+": "+test.want)
			if n := server.Fetches(); n != 1 {
				t.Errorf("%d fetches", n)
			}
			server.Publish(app.JWKS())
			if _, err := cache.Get(t.Context(), server.URL); err != nil {
				t.Errorf("after the repair: %v", err)
			}
		})
	}
}

func status(code int) http.HandlerFunc { return body(code, "") }

func body(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(text))
	}
}

// halfOf promises text and disconnects in the middle.
func halfOf(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write([]byte(text))
		panic(http.ErrAbortHandler)
	}
}

func vastHeader(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Vast", strings.Repeat("x", 1<<20))
	w.WriteHeader(http.StatusOK)
}

// gzipBomb is a good set after 64 MiB of spaces, for a client that decompresses. It is
// compressed beforehand: a fetch has five seconds, however busy the machine is.
func gzipBomb() http.HandlerFunc {
	var packed bytes.Buffer
	packer := gzip.NewWriter(&packed)
	spaces := bytes.Repeat([]byte(" "), 1<<20)
	for range 64 {
		_, _ = packer.Write(spaces)
	}
	_, _ = packer.Write(app.JWKS())
	_ = packer.Close()
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	}
}
