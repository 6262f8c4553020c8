package body

import "frontdesk/domain/fault"

// Refusals lists every sentence that a call may be refused with because of its body or
// query, without the rules of the domain. Those of one code stand together.
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
