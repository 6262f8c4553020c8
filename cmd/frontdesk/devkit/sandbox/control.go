package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"frontdesk/adapters/background"
)

// The sandbox is controlled through a socket in its directory, which only its owner can open:
// HTTP, with a path for each operation.
const (
	controlName  = "control"        // a directory that only the owner enters
	steeringTime = 30 * time.Second // for one order
	resetTime    = 5 * time.Minute  // for a reset: its database is copied, on a machine that may be busy
	longestPath  = 103              // of a socket, in bytes, that every system takes
	orderBytes   = 64 << 10
)

func socketFile(dir string) string { return filepath.Join(dir, controlName, "socket") }

// errRefused is an order that cannot be executed; its text includes the fix.
type errRefused string

func (e errRefused) Error() string { return string(e) }

func refused(format string, args ...any) error { return errRefused(fmt.Sprintf(format, args...)) }

// steered is the interface for controlling a running sandbox.
type steered interface {
	setClock(ctx context.Context, setting string) (time.Time, error) // "" asks
	reset(ctx context.Context) error
	sendTo(ctx context.Context, way string) (url string, err error)
}

// reading is the clock in requests and answers.
type reading struct {
	Setting string    `json:"setting,omitempty"` // in an order
	Now     time.Time `json:"now"`
}

// manner is how the sandbox's receiver is to behave, and where it does.
type manner struct {
	Way string `json:"way,omitempty"`
	URL string `json:"url,omitempty"`
}

// failure is why an order was not followed.
type failure struct {
	Error string `json:"error"`
}

// control takes orders until it is closed.
type control struct {
	http *background.Server
	file string
}

// listenControl begins to take orders for the sandbox in dir.
func listenControl(ctx context.Context, dir string, s steered, log *slog.Logger) (*control, error) {
	file := socketFile(dir)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the control socket: %w", err)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) { // a sandbox was killed
		return nil, fmt.Errorf("make the directory of the control socket: %w", err)
	}
	listener, err := shortly(file, func(path string) (net.Listener, error) {
		return (&net.ListenConfig{}).Listen(ctx, "unix", path)
	})
	if err != nil {
		return nil, fmt.Errorf("listen on the control socket: %w", err)
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false) // its path may have been a short one
	if err := os.Chmod(file, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("listen on the control socket: %w", err), listener.Close())
	}
	return &control{background.Serve(listener, &http.Server{Handler: orders(s, log), ReadHeaderTimeout: steeringTime}), file}, nil
}

func (c *control) close() {
	c.http.Close()
	_ = os.Remove(c.file)
}

// shortly opens a path to a socket. If the path is too long for one, it goes through a
// symbolic link to the socket's directory.
func shortly[T any](file string, do func(path string) (T, error)) (T, error) {
	if len(file) <= longestPath {
		return do(file)
	}
	var none T
	dir, err := os.MkdirTemp("", "frontdesk-")
	if err != nil {
		return none, err
	}
	defer os.RemoveAll(dir)
	link := filepath.Join(dir, "d")
	if err := os.Symlink(filepath.Dir(file), link); err != nil {
		return none, err
	}
	return do(filepath.Join(link, filepath.Base(file)))
}

// orders is the handler of the operations.
func orders(s steered, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /clock", order(log, steeringTime, func(ctx context.Context, asked reading) (reading, error) {
		now, err := s.setClock(ctx, asked.Setting)
		return reading{Now: now}, err
	}))
	mux.Handle("POST /reset", order(log, resetTime, func(ctx context.Context, _ struct{}) (struct{}, error) {
		return struct{}{}, s.reset(ctx)
	}))
	mux.Handle("POST /receiver", order(log, steeringTime, func(ctx context.Context, asked manner) (manner, error) {
		url, err := s.sendTo(ctx, asked.Way)
		return manner{URL: url}, err
	}))
	return mux
}

// order answers with the result, or with the reason of a refusal.
func order[In, Out any](log *slog.Logger, limit time.Duration, do func(context.Context, In) (Out, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		var in In
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, orderBytes)).Decode(&in); err != nil {
			answer(w, http.StatusBadRequest, failure{"The order is not JSON of this program's form."})
			return
		}
		out, err := do(ctx, in)
		if err == nil {
			answer(w, http.StatusOK, out)
			return
		}
		status := http.StatusInternalServerError
		if _, ok := errors.AsType[errRefused](err); ok {
			status = http.StatusConflict
		} else {
			log.ErrorContext(ctx, "an order to the sandbox failed", slog.String("order", r.URL.Path), slog.Any("error", err))
		}
		answer(w, status, failure{err.Error()})
	})
}

func answer(w http.ResponseWriter, status int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(what) // the client may have gone
}
