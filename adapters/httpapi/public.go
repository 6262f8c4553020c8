package httpapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the description is a file
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/gorilla/mux"

	"frontdesk/domain/application"
)

// public serves a path of the API without authentication.
func (a *API) public(router *mux.Router, path string, name application.EndpointName, serve func(http.ResponseWriter, *http.Request) error) {
	router.Handle(path, a.measured(name, a.answering(func(w http.ResponseWriter, r *http.Request) error {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return notAllowed(w, methods{http.MethodGet: nil, http.MethodHead: nil})
		}
		return serve(w, r)
	})))
}

// publicKeys serves the key set for webhooks, the same for every practice. It needs no
// slot, but a permit of its own kind, because it queries the database each time.
func (a *API) publicKeys(w http.ResponseWriter, r *http.Request) error {
	var document []byte
	err := a.withPermit(a.permits.keySets, r, func(r *http.Request) (err error) {
		document, err = a.SigningKeys(r.Context())
		return err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", "max-age=300")
	w.Header().Set("ETag", etagOf(document))
	return writePublic(w, r, document)
}

// etagOf returns the entity tag of a text.
func etagOf(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// isUnchanged sets the entity tag of an answer that has one, and answers 304 if the caller has it.
func (a *API) isUnchanged(w http.ResponseWriter, r *http.Request, text []byte) bool {
	if !callOf(r.Context()).tagged {
		return false
	}
	w.Header().Set("ETag", etagOf(text))
	w.Header().Set("Cache-Control", "private, no-cache")
	if !isCurrent(r, etagOf(text)) {
		return false
	}
	a.addHeaders(w.Header(), r, http.StatusNotModified)
	w.WriteHeader(http.StatusNotModified)
	return true
}

// writePublic writes a document, or 304 if the caller has it by the answer's ETag. Range and If-Match
// are ignored: documents are short, and never changed by callers.
func writePublic(w http.ResponseWriter, r *http.Request, document []byte) error {
	if isCurrent(r, w.Header().Get("ETag")) {
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(document) // an error means that the client has disconnected
	}
	return nil
}

// isCurrent reports whether If-None-Match names an entity tag, by the weak comparison of RFC 9110.
func isCurrent(r *http.Request, etag string) bool {
	for _, list := range r.Header.Values("If-None-Match") {
		for one := range strings.SplitSeq(list, ",") {
			if one = strings.TrimSpace(one); one == "*" || etag != "" && strings.TrimPrefix(one, "W/") == etag {
				return true
			}
		}
	}
	return false
}

// openAPI describes the API and the webhooks, for people and for programs. It is
// written by hand. Tests compare every answer with it.
//
//go:embed openapi.json
var openAPI []byte

// Description is the OpenAPI description of the API as it is served at a base URL
// without a path, such as https://elm-street.api.example. If url is "", its server is
// the template for all practices.
func Description(url string) []byte {
	if url == "" {
		return openAPI
	}
	var document struct{ Servers json.RawMessage }
	_ = json.Unmarshal(openAPI, &document) // a test reads it
	servers, _ := json.Marshal([]map[string]string{{"url": url, "description": "The address of this description."}})
	return bytes.Replace(openAPI, document.Servers, servers, 1)
}

// describe serves the description. Its server is the requested address.
func (a *API) describe(w http.ResponseWriter, r *http.Request) error {
	document := Description(addressOf(r))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=300")
	return writePublic(w, r, document)
}

// hostForm matches strings that are a host in any context, such as JSON or HTML.
var hostForm = regexp.MustCompile(`^(\[[0-9a-f:]+\]|[a-z0-9][a-z0-9.-]*)(:[0-9]{1,5})?$`)

// addressOf returns the base URL of a routed call; "" if its Host header, which the
// caller controls, has another form. The routes have matched the host to the API's
// domain. The proxy that ends TLS is unknown, but all calls use it except those on this
// machine.
func addressOf(r *http.Request) string {
	host := strings.ToLower(r.Host)
	if !hostForm.MatchString(host) {
		return ""
	}
	name := strings.Trim(withoutPort(host), "[]")
	if application.IsLoopback(name) || strings.HasSuffix(name, ".localhost") {
		return "http://" + host
	}
	return "https://" + host
}
