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

// identity is kept from one start to the next, even if the sandbox changes: code is
// configured with the identifier, and open pages need the key.
type identity struct {
	Application application.ID `json:"application"`
	PageKey     string         `json:"pageKey"`
}

// openIdentity reads who the application is, or makes one up.
func openIdentity(h *keyDir) (i identity, err error) {
	content, err := h.read(identityName)
	if errors.Is(err, fs.ErrNotExist) {
		return newIdentity(h)
	}
	if err = cmp.Or(err, json.Unmarshal(content, &i)); err != nil {
		return i, fmt.Errorf("read %s (remove it, and dev makes up another application): %w", h.file(identityName), err)
	}
	return i, nil
}

func newIdentity(h *keyDir) (identity, error) {
	i := identity{application.ID{UUID: event.NewID()}, rand.Text()}
	content, err := json.Marshal(i)
	if err != nil {
		return i, fmt.Errorf("write %s: %w", identityName, err)
	}
	return i, h.write(identityName, append(content, '\n'))
}
