package staff

import "github.com/google/uuid"

// ID identifies a member of staff of one practice. Events hold it, never the
// username.
type ID struct{ uuid.UUID }
