package receiver

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"frontdesk.example/client"
	"frontdesk/adapters/background"
)

// maxBody limits the bytes read of a webhook.
const maxBody = 64 << 10

// Webhook is a verified webhook.
type Webhook struct {
	client.Webhook

	Token string // as it was received
}

// Handler receives webhooks. It answers 202 for a genuine one, after Received
// has taken it, and 400 with the reason for any other.
type Handler struct {
	Verifier *client.Verifier
	Received func(context.Context, Webhook) error // may be called for several at once
	Refused  func(context.Context, error)         // called for each refusal; may be nil
}

// ServeHTTP receives one webhook.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Use POST.", http.StatusMethodNotAllowed)
		return
	case err != nil || media != "application/jwt":
		http.Error(w, "The Content-Type must be application/jwt.", http.StatusUnsupportedMediaType)
		return
	}
	if err := h.take(w, r); err != nil {
		if h.Refused != nil {
			h.Refused(r.Context(), err)
		}
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (h Handler) take(w http.ResponseWriter, r *http.Request) error {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return err
	}
	token := strings.TrimSpace(string(body))
	webhook, err := h.Verifier.Verify(r.Context(), token)
	if err != nil {
		return fmt.Errorf("the webhook was refused: %w", err)
	}
	return h.Received(r.Context(), Webhook{webhook, token})
}

// JSONLines writes each webhook as a line with one JSON object: its claims, receivedAt
// and kid.
type JSONLines struct {
	Out io.Writer
	Now func() time.Time

	mu sync.Mutex
}

// Write writes one webhook. It fits [Handler].Received.
func (l *JSONLines) Write(_ context.Context, w Webhook) error {
	var line map[string]any
	if err := json.Unmarshal(w.Claims, &line); err != nil {
		return fmt.Errorf("read claims: %w", err)
	}
	line["receivedAt"], line["kid"] = l.Now().UTC(), w.KID
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write webhook: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.Out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write webhook: %w", err)
	}
	return nil
}

// Server receives webhooks by https.
type Server struct{ *background.Server }

// Listen begins to receive at a loopback address, with a certificate of the
// authority. The caller closes the server.
func Listen(ctx context.Context, address string, authority *Authority, handler http.Handler, now time.Time) (*Server, error) {
	certificate, err := authority.Certificate(now)
	if err != nil {
		return nil, err
	}
	plain, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks on %s (is the port taken? choose another): %w", address, err)
	}
	secure := tls.NewListener(plain, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	return &Server{background.Serve(secure, &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute})}, nil
}

// URL is the address at which the server receives.
func (s *Server) URL() string { return "https://" + s.Address() + "/" }
