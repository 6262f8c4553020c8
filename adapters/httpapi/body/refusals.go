package body

import "frontdesk/domain/fault"

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
