package event

import "reflect"

var actPlan = planOf(reflect.TypeFor[OnBehalfOf]())

// Split returns an act claim as it is stored outside of events, with [Hidden] in place
// of the practitioner's personal values, and these values. A claim without a
// practitioner has none.
func (o OnBehalfOf) Split() (OnBehalfOf, Personal) {
	named := Personal{Of: Holder{Kind: OfPractitioner}, Known: o.Practitioner.knownBy()}
	actPlan.each(reflect.ValueOf(&o).Elem(), func(_ step, text reflect.Value) {
		named.Values = append(named.Values, text.String())
		text.SetString(Hidden)
	})
	return o, named
}

// Join returns a stored act claim with the values that [OnBehalfOf.Split] has taken
// out, or with [Erased] in their place, or [ErrOtherValues].
func (o OnBehalfOf) Join(named Personal) (OnBehalfOf, error) {
	values := named.Values
	missing := false
	actPlan.each(reflect.ValueOf(&o).Elem(), func(_ step, text reflect.Value) {
		switch {
		case text.String() != Hidden:
		case named.Erased:
			text.SetString(Erased)
		case len(values) == 0:
			missing = true
		default:
			text.SetString(values[0])
			values = values[1:]
		}
	})
	if missing || len(values) > 0 {
		return o, ErrOtherValues
	}
	return o, nil
}
