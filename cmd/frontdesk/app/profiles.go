package app

import (
	"net/http"
	"net/http/pprof" // what it adds to the default mux is served by nobody
)

// serveProfiles serves what Go measures of the process itself: where time and memory go, and
// what each goroutine does. It shows no value that the program holds, and not how it was
// started, because a command line may hold a secret.
func serveProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
}
