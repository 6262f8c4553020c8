package application

import "github.com/google/uuid"

// ID identifies a registered application: the `iss` of its tokens.
type ID struct{ uuid.UUID }

// Mode is the way in which an application calls (§5.3).
type Mode string

// The two modes.
const (
	ApplicationRestricted Mode = "application-restricted" // for itself: sub = iss
	UserRestricted        Mode = "user-restricted"        // for a member of staff: sub is their username
)

// Endpoint is the name of an operation of the Transactional API. The catalogue
// of those that there are is in package access.
type Endpoint string

// Grant allows one endpoint in one mode, written `<endpoint>:<mode>` (§5.6).
type Grant struct {
	Endpoint Endpoint `json:"endpoint"`
	Mode     Mode     `json:"mode"`
}

// String is the grant as §5.6 writes it.
func (g Grant) String() string { return string(g.Endpoint) + ":" + string(g.Mode) }
