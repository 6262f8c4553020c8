package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"syscall"
	"time"
)

// Remote steers a sandbox that another process runs. It holds no connection.
type Remote struct {
	dir    string
	client *http.Client
}

// Reach returns the control of the sandbox that runs in a directory. The error includes how
// to start one if none runs.
func Reach(dir string) (Remote, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Remote{}, fmt.Errorf("find the sandbox's directory: %w", err)
	}
	r := Remote{dir: dir}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return shortly(socketFile(dir), func(path string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		})
	}
	r.client = &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	ctx, cancel := context.WithTimeout(context.Background(), steeringTime)
	defer cancel()
	conn, err := dial(ctx, "", "")
	if err != nil {
		return Remote{}, r.absent(err)
	}
	return r, conn.Close()
}

// Clock moves the sandbox's clock, and returns its new time. The setting is "+12h", "-1h", an
// instant as in RFC 3339, or "real"; with "" the clock is only read. It refuses to move
// behind the newest event.
func (r Remote) Clock(ctx context.Context, setting string) (time.Time, error) {
	var told reading
	err := r.order(ctx, steeringTime, "/clock", reading{Setting: setting}, &told)
	return told.Now, err
}

// Reset resets the practice to its state just after seeding, and its clock to real time. The
// sandbox serves again when it returns.
func (r Remote) Reset(ctx context.Context) error {
	return r.order(ctx, resetTime, "/reset", struct{}{}, &struct{}{})
}

// Receiver has every kind of webhook sent to where the sandbox's receiver behaves in one of
// the [Ways], and returns that address.
func (r Remote) Receiver(ctx context.Context, way string) (url string, err error) {
	var told manner
	err = r.order(ctx, steeringTime, "/receiver", manner{Way: way}, &told)
	return told.URL, err
}

// order sends an order to the sandbox, and reads its answer.
func (r Remote) order(ctx context.Context, limit time.Duration, path string, what, told any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	body, err := json.Marshal(what)
	if err != nil {
		return fmt.Errorf("write an order: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://sandbox"+path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("write an order: %w", err)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return r.absent(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, orderBytes))
	if err != nil {
		return fmt.Errorf("read the sandbox's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		var why failure
		if err := json.Unmarshal(text, &why); err != nil || why.Error == "" {
			return fmt.Errorf("the sandbox in %s is of another version than this program: start it again", r.dir)
		}
		return errRefused(why.Error)
	}
	if err := json.Unmarshal(text, told); err != nil {
		return fmt.Errorf("read the sandbox's answer: %w", err)
	}
	return nil
}

// absent adds the fix if there is no listener.
func (r Remote) absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return errAbsent(r.dir)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("only the user who started the sandbox in %s may steer it: %w", r.dir, err)
	}
	return fmt.Errorf("reach the sandbox in %s: %w", r.dir, err)
}
