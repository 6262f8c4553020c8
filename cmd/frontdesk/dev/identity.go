package dev

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

// identity is what stays from one start to the next, whatever becomes of the sandbox: code
// is configured with the identifier, and pages that are open need the key.
type identity struct {
	Application application.ID `json:"application"`
	PageKey     string         `json:"pageKey"`
}

// openIdentity reads who the application is, or makes one up.
func openIdentity(h *home) (i identity, err error) {
	content, err := h.read(identityName)
	if err == nil {
		if err = json.Unmarshal(content, &i); err == nil {
			return i, nil
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return i, fmt.Errorf("read %s (remove it, and dev makes up another application): %w", h.file(identityName), err)
	}
	i = identity{application.ID{UUID: event.NewID()}, rand.Text()}
	if content, err = json.Marshal(i); err != nil {
		return i, fmt.Errorf("write %s: %w", identityName, err)
	}
	return i, h.write(identityName, append(content, '\n'))
}
