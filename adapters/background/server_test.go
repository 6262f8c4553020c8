package background_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"frontdesk/adapters/background"
)

const never = time.Hour

// serve starts a server with a handler, and returns it with a function that calls it.
func serve(t *testing.T, handler http.HandlerFunc) (s *background.Server, call func() (string, error)) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = background.Serve(listener, &http.Server{Handler: handler, ReadHeaderTimeout: never})
	t.Cleanup(s.Close)
	return s, func() (string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Address(), nil)
		if err != nil {
			return "", err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(response.Body)
		return string(answer), err
	}
}

func TestServerAnswersUntilClosed(t *testing.T) {
	t.Parallel()
	s, call := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") })
	if answer, err := call(); answer != "yes" || err != nil {
		t.Errorf("answered %q, %v", answer, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ended); err != nil {
		t.Error(err)
	}
	if answer, err := call(); err == nil {
		t.Errorf("a closed server answers %q", answer)
	}
}

func TestServerStopEndsRequests(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	s, call := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		_, _ = io.WriteString(w, "goodbye")
	})
	go func() {
		<-begun
		s.Stop(never)
	}()
	if answer, err := call(); answer != "goodbye" || err != nil {
		t.Errorf("answered %q, %v; want the last words", answer, err)
	}
}

func TestServerCloseBreaksOff(t *testing.T) {
	t.Parallel()
	begun, over := make(chan struct{}), make(chan struct{})
	s, call := serve(t, func(http.ResponseWriter, *http.Request) {
		close(begun)
		<-over
	})
	defer close(over)
	go func() {
		<-begun
		s.Close()
	}()
	if answer, err := call(); err == nil {
		t.Errorf("answered %q, want the connection broken off", answer)
	}
}
