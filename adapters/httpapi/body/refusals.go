package body

import (
	"frontdesk/adapters/admission"
	"frontdesk/domain/fault"
)

// Refusals lists every refusal because of a call's body or query, without the rules of
// the domain. Those of one code are adjacent.
func Refusals() fault.List {
	return fault.List{
		ErrInvalid, errEmpty, errMalformed, errTwice, errRest, errNUL, errLongText,
		errCase, errNoString, errNoArray, errNoMember, errFileName, errFlag,
		errNoField, errOtherFields,
		ErrMissingPatientID, ErrInvalidPatientID, errQuery, errQueryTwice,
		ErrInvalidQuery, errGivenTwice, errNumber, errChoice, errMoment, errUUID,
		ErrMediaType, ErrTooLarge, ErrBusy, ErrShare,
	}
}

// The refusals of a call without a permit: all are taken, or the caller has used up its
// share.
var (
	ErrBusy  = fault.New(fault.Unavailable, "unavailable", "The service has too many calls to answer. Try again shortly.")
	ErrShare = ErrBusy.Worded("Too many of your calls are in flight. Wait for their answers before you make more.")
)

// Take takes a permit, unless it is taken already. It does not wait: if there is none
// for its holder, it returns [ErrBusy] or [ErrShare].
func Take(permit *admission.Permit) error {
	switch {
	case permit.Take():
		return nil
	case permit.NoneFree():
		return ErrBusy
	}
	return ErrShare
}
