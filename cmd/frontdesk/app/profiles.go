package app

import (
	"net/http"
	"net/http/pprof" // nothing serves the default mux, which it registers on
)

// serveProfiles serves Go's profiles of the process: where time and memory go, and the stack
// of each goroutine. It shows no value that the program holds. It also hides the command
// line, which may hold a secret.
func serveProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
}
