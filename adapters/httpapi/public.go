package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"time"

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
	err := a.in(a.seats.keySets, r, func(r *http.Request) (err error) {
		document, err = a.SigningKeys(r.Context())
		return err
	})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(document)
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", "max-age=300")
	w.Header().Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(document)) // answers If-None-Match
	return nil
}
