package dev

import (
	"cmp"
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
	if errors.Is(err, fs.ErrNotExist) {
		return newIdentity(h)
	}
	if err = cmp.Or(err, json.Unmarshal(content, &i)); err != nil {
		return i, fmt.Errorf("read %s (remove it, and dev makes up another application): %w", h.file(identityName), err)
	}
	return i, nil
}

func newIdentity(h *home) (identity, error) {
	i := identity{application.ID{UUID: event.NewID()}, rand.Text()}
	content, err := json.Marshal(i)
	if err != nil {
		return i, fmt.Errorf("write %s: %w", identityName, err)
	}
	return i, h.write(identityName, append(content, '\n'))
}
