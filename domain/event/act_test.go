package event_test

import (
	"errors"
	"testing"

	"frontdesk/domain/event"
)

func TestAnActClaimIsSplitAndJoined(t *testing.T) {
	t.Parallel()
	claim := event.OnBehalfOf{
		Practitioner: event.Practitioner{Name: "Dr Zoë", Email: "Zoe@elm.example"},
		Organisation: event.Organisation{Name: "Oak Lane"}, Role: "GP", Purpose: "TREAT",
	}
	kept := claim
	hidden, named := claim.Split()
	if claim != kept || hidden.Practitioner != (event.Practitioner{Name: event.Hidden, Email: event.Hidden}) ||
		hidden.Organisation != claim.Organisation || hidden.Role != "GP" || hidden.Purpose != "TREAT" {
		t.Errorf("%v is stored as %v", claim, hidden)
	}
	if named.Of.Kind != event.OfPractitioner || named.Known != "zoe@elm.example" {
		t.Errorf("whose it is: %+v", named)
	}
	if back, err := hidden.Join(named); err != nil || back != claim {
		t.Errorf("joined as %v, %v", back, err)
	}
	erased, err := hidden.Join(event.Personal{Erased: true})
	if err != nil || erased.Practitioner != (event.Practitioner{Name: event.Erased, Email: event.Erased}) {
		t.Errorf("erased: %v, %v", erased, err)
	}
	for _, values := range [][]string{nil, {"Dr Zoë"}, {"a", "b", "c"}} {
		if got, err := hidden.Join(event.Personal{Values: values}); !errors.Is(err, event.ErrOtherValues) {
			t.Errorf("with %q: %v, %v", values, got, err)
		}
	}
}

func TestActClaimWithoutNamesSplitsToItself(t *testing.T) {
	t.Parallel()
	claim := event.OnBehalfOf{Organisation: event.Organisation{Name: "Oak Lane"}}
	if hidden, named := claim.Split(); hidden != claim || named.Values != nil {
		t.Errorf("split into %v and %v", hidden, named)
	}
}
