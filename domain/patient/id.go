package patient

import "github.com/google/uuid"

// ID identifies a patient of one practice.
type ID struct{ uuid.UUID }
