package receiver

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// maxBody bounds what is read of a webhook, and of a key set.
const maxBody = 64 << 10

// Handler receives webhooks: it answers 202 for those that hold, after Received
// has them, and 400 with the reason for the others.
type Handler struct {
	Verifier *Verifier
	Received func(context.Context, Webhook) error // called for one at a time or several at once
	Refused  func(context.Context, error)         // nil for nobody who wants to hear of it
}

// ServeHTTP implements [http.Handler].
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "webhooks are posted", http.StatusMethodNotAllowed)
		return
	case err != nil || media != "application/jwt":
		http.Error(w, "webhooks are application/jwt", http.StatusUnsupportedMediaType)
		return
	}
	token, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		err = h.take(r.Context(), strings.TrimSpace(string(token)))
	}
	if err != nil {
		if h.Refused != nil {
			h.Refused(r.Context(), err)
		}
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (h Handler) take(ctx context.Context, token string) error {
	webhook, err := h.Verifier.Verify(ctx, token)
	if err != nil {
		return fmt.Errorf("the webhook was refused: %w", err)
	}
	return h.Received(ctx, webhook)
}
