package reference

import (
	"encoding/json"
	"mime"
	"net/http"
	"slices"
)

// tokenPath is the path at which a page requests tokens.
const tokenPath = "token"

const maxAsked = 4 << 10

// strangers are pages of another origin. A browser names the origin of each POST.
var strangers = http.NewCrossOriginProtection()

// mint answers a POST of JSON with a token. Three things keep other pages out. The Host must
// be the sandbox's own address, and the browser must declare that the page is of this origin.
// JSON to another origin needs a preflight, which is never allowed. Programs that
// reach the sandbox may mint: it has no real people.
func (s *content) mint(w http.ResponseWriter, r *http.Request) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var asked struct {
		Sub string `json:"sub"`
	}
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		http.Error(w, "Use POST.", http.StatusMethodNotAllowed)
		return
	case strangers.Check(r) != nil:
		http.Error(w, "Only the sandbox's own pages may ask for tokens.", http.StatusForbidden)
		return
	case media != "application/json":
		http.Error(w, "Send JSON.", http.StatusUnsupportedMediaType)
		return
	case json.NewDecoder(http.MaxBytesReader(w, r.Body, maxAsked)).Decode(&asked) != nil:
		http.Error(w, `Send {"sub": "USERNAME"}, or {} for the application itself.`, http.StatusBadRequest)
		return
	case asked.Sub != "" && !slices.Contains(s.sandbox.Users, asked.Sub):
		http.Error(w, "The sandbox has no such user.", http.StatusBadRequest)
		return
	}
	token, err := s.sandbox.Mint(asked.Sub)
	if err != nil {
		http.Error(w, "The token could not be made.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"token": token}) // an error means that the client has gone
}
