package request

import "slices"

// Types lists the request types, in the order of the contract (§2.1).
func Types() []Type { return []Type{Medical, Admin} }

// Known refuses with [ErrInvalidType] what is no request type.
func (t Type) Known() error {
	if !slices.Contains(Types(), t) {
		return ErrInvalidType
	}
	return nil
}
