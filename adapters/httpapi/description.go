package httpapi

import (
	"bytes"
	_ "embed" // the description is a file
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"frontdesk/domain/application"
)

// openAPI describes the API and the webhooks, for people and for programs. It is
// written by hand. Tests compare every answer with it.
//
//go:embed openapi.json
var openAPI []byte

// Description is the OpenAPI description of the API as it is served at a base URL
// without a path, such as https://elm-street.api.example. If url is "", its server is
// the template that stands for every practice's.
func Description(url string) []byte {
	if url == "" {
		return openAPI
	}
	var document struct{ Servers json.RawMessage }
	_ = json.Unmarshal(openAPI, &document) // a test reads it
	servers, _ := json.Marshal([]map[string]string{{"url": url, "description": "Where this description was asked for."}})
	return bytes.Replace(openAPI, document.Servers, servers, 1)
}

// describe serves the description. Its server is the address that it was asked at.
func (a *API) describe(w http.ResponseWriter, r *http.Request) error {
	document := Description(addressOf(r))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = w.Write(document) // an error means that the client has gone
	return nil
}

// hostForm is a host that can be nothing else than a host, wherever it is written.
var hostForm = regexp.MustCompile(`^(\[[0-9a-f:]+\]|[a-z0-9][a-z0-9.-]*)(:[0-9]{1,5})?$`)

// addressOf is the address that a routed call was made to, and "" if its Host header,
// which the caller writes, has an odd form. The routes have found the host to be a
// practice's at the API's domain. How TLS is ended before us is not known, but nobody
// is served without it except on this machine.
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
