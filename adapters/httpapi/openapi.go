package httpapi

import (
	_ "embed" // the description is a file
	"net/http"
	"slices"
	"strconv"
)

// openAPI describes the API and the webhooks, for people and for programs. It
// is written by hand; tests hold every answer against it.
//
//go:embed openapi.json
var openAPI []byte

// OpenAPI is the OpenAPI 3.1 description of the Transactional API.
func OpenAPI() []byte { return slices.Clone(openAPI) }

// describe serves the description.
func (a *API) describe(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(openAPI)))
	w.Header().Set("Cache-Control", "max-age=300")
	// A client that has gone away cannot be told so.
	_, _ = w.Write(openAPI)
	return nil
}
