package receiver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Journal writes each webhook as one JSON object a line: its claims, with
// receivedAt and kid beside them.
type Journal struct {
	Out io.Writer
	Now func() time.Time

	mu sync.Mutex
}

// Write is the Received of a [Handler].
func (j *Journal) Write(_ context.Context, w Webhook) error {
	var line map[string]any
	if err := json.Unmarshal(w.Claims, &line); err != nil {
		return fmt.Errorf("read claims: %w", err)
	}
	line["receivedAt"], line["kid"] = j.Now().UTC(), w.KID
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("write webhook: %w", err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.Out.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("write webhook: %w", err)
	}
	return nil
}
