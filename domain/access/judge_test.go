package access_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
	"frontdesk/domain/patient"
	"frontdesk/domain/staff"
)

var (
	until = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	lee   = staff.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000a")}
	ann   = patient.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000c")}
	bill  = patient.ID{UUID: uuid.MustParse("01980000-0000-7000-8000-00000000000d")}
)

// kind is a kind of caller, as its difference from an application with all rights on
// its own account.
type kind struct {
	mode   application.Mode
	rights func(*access.Rights)
	named  access.Named
	// want is the rule that refuses the kind at an endpoint.
	want func(access.Endpoint) access.Rule
}

func always(rule access.Rule) func(access.Endpoint) access.Rule {
	return func(access.Endpoint) access.Rule { return rule }
}

// whereGranted expects a refusal of every endpoint that needs a grant.
func whereGranted(e access.Endpoint) access.Rule {
	if e.WithoutGrant {
		return access.RuleNone
	}
	return access.RuleGranted
}

// whereNamed expects the rule for every endpoint that names a patient. The others
// refuse a caller without a standing authorisation.
func whereNamed(rule access.Rule) func(access.Endpoint) access.Rule {
	return func(e access.Endpoint) access.Rule {
		if e.NamesPatient {
			return rule
		}
		return access.RuleAuthorised
	}
}

func whereShown(e access.Endpoint) access.Rule {
	if e.ShowsRecord {
		return access.RuleRecord
	}
	return access.RuleNone
}

func kinds() map[string]kind {
	const alone, user = application.ApplicationRestricted, application.UserRestricted
	asLee := func(r *access.Rights) { r.Staff, r.AuthorisedUntil = lee, until }
	forAnn := func(r *access.Rights) { r.Staff, r.Patients = lee, []patient.ID{ann} }
	named, closed := access.Named{Patient: ann.String()}, access.Named{Patient: ann.String(), Closed: true}
	return map[string]kind{
		"an application":                    {alone, nil, named, always(access.RuleNone)},
		"an unknown one":                    {alone, func(r *access.Rights) { *r = access.Rights{} }, named, always(access.RuleKnown)},
		"one that is not enabled":           {alone, func(r *access.Rights) { r.Enabled, r.Granted = false, false }, named, always(access.RuleEnabled)},
		"one without the grant":             {alone, func(r *access.Rights) { r.Granted = false }, named, whereGranted},
		"one, and a record that is closed":  {alone, nil, closed, always(access.RuleNone)},
		"a user":                            {user, asLee, named, always(access.RuleNone)},
		"a user of an unknown application":  {user, func(r *access.Rights) { *r = access.Rights{Staff: lee, AuthorisedUntil: until} }, named, always(access.RuleKnown)},
		"a user who has not authorised it":  {user, func(r *access.Rights) { r.Staff = lee }, named, always(access.RuleAuthorised)},
		"unknown user":                      {user, nil, named, always(access.RuleAuthorised)},
		"unknown user, if there were one":   {user, func(r *access.Rights) { r.AuthorisedUntil, r.Patients = until, []patient.ID{ann} }, named, always(access.RuleAuthorised)},
		"a user whose record is closed":     {user, asLee, closed, whereShown},
		"a scoped user":                     {user, forAnn, named, whereNamed(access.RuleNone)},
		"a scoped user, in capitals":        {user, forAnn, access.Named{Patient: strings.ToUpper(ann.String())}, whereNamed(access.RuleNone)},
		"a scoped user, and somebody else":  {user, forAnn, access.Named{Patient: bill.String()}, whereNamed(access.RuleScope)},
		"a scoped user, and another's file": {user, forAnn, access.Named{Patient: bill.String(), Closed: true}, whereNamed(access.RuleScope)},
		"a scoped user, no patient":         {user, forAnn, access.Named{}, whereNamed(access.RuleScope)},
		"a scoped user, and rubbish":        {user, forAnn, access.Named{Patient: "{" + ann.String() + "}"}, whereNamed(access.RuleScope)},
		"a user with both authorisations": {user, func(r *access.Rights) { asLee(r); r.Patients = []patient.ID{ann} },
			access.Named{Patient: bill.String()}, always(access.RuleNone)},
		"a standing user, no patient": {user, asLee, access.Named{}, always(access.RuleNone)},
	}
}

// wantOf is the rule that refuses the kind at an endpoint. An application may call
// about itself whatever the practice allows, and for no user.
func (k kind) wantOf(e access.Endpoint) access.Rule {
	switch {
	case !e.AboutItself:
		return k.want(e)
	case !k.caller(e).Known:
		return access.RuleKnown
	case e.WhereEnabled && !k.caller(e).Enabled:
		return access.RuleEnabled
	case k.mode == application.UserRestricted:
		return access.RuleGranted
	}
	return access.RuleNone
}

func (k kind) caller(e access.Endpoint) access.Caller {
	rights := access.Rights{Known: true, Enabled: true, Granted: !e.WithoutGrant}
	if k.rights != nil {
		k.rights(&rights)
	}
	return access.Caller{Claim: access.Claim{Tenant: "elm-street", Mode: k.mode, Endpoint: e}, Rights: rights}
}

func ruleOf(t *testing.T, err error) access.Rule {
	t.Helper()
	if err == nil {
		return access.RuleNone
	}
	refusal, ok := errors.AsType[*access.Refusal](err)
	if !ok || !errors.Is(err, refusal.Fault) || refusal.Fault.Kind != fault.Forbidden {
		t.Fatalf("%v is no refusal", err)
	}
	return refusal.Rule
}

func TestEveryEndpointByCallerKind_D1(t *testing.T) {
	t.Parallel()
	for name, k := range kinds() {
		for _, e := range access.Endpoints() {
			if got, want := ruleOf(t, access.Judge(k.caller(e), &k.named)), k.wantOf(e); got != want {
				t.Errorf("%s calls %s: refused by %s, want %s", name, e.Name, got, want)
			}
		}
	}
}

// The API judges before it reads the input, again with the patient, and a third time
// once it knows of a restriction; an auditor judges once.
func TestJudgementIsIndependentOfSteps(t *testing.T) {
	t.Parallel()
	for name, k := range kinds() {
		for _, e := range access.Endpoints() {
			caller, once := k.caller(e), ruleOf(t, access.Judge(k.caller(e), &k.named))
			steps := ruleOf(t, access.Judge(caller, nil))
			for _, named := range []access.Named{{Patient: k.named.Patient}, k.named} {
				if steps == access.RuleNone {
					steps = ruleOf(t, access.Judge(caller, &named))
				}
			}
			if steps != once {
				t.Errorf("%s calls %s: refused by %s at once and by %s in steps", name, e.Name, once, steps)
			}
		}
	}
}

func TestRefusalsMatchContract_D10(t *testing.T) {
	t.Parallel()
	note, _ := access.Find(access.CreateNote)
	for name, want := range map[string]string{
		"an unknown one":                   "unauthorized: Invalid JWT: iss is not a registered application",
		"one that is not enabled":          "unauthorized: The app has not been granted access to this tenant",
		"one without the grant":            "unauthorized: The app has no permission to call create-note in application-restricted mode",
		"unknown user":                     "unauthorized: The app is not currently authorised to request as the specified user",
		"a scoped user, and somebody else": "patient-not-authorised: The app is not currently authorised to request as the specified user for this patient",
		"a user whose record is closed":    "unauthorized: The specified user may not access this patient",
	} {
		k := kinds()[name]
		if err := access.Judge(k.caller(note), &k.named); err == nil || err.Error() != want {
			t.Errorf("%s gets %v", name, err)
		}
	}
}

func TestTheCatalogueIsSound(t *testing.T) {
	t.Parallel()
	seen := map[application.EndpointName]bool{}
	for _, e := range access.Endpoints() {
		if found, ok := access.Find(e.Name); !ok || found != e || seen[e.Name] {
			t.Errorf("%s is found as %+v", e.Name, found)
		}
		if seen[e.Name] = true; e.Words == "" && !e.WithoutGrant && !e.AboutItself {
			t.Errorf("%s: say what staff let an application do by it", e.Name)
		}
		if e.AboutItself && (e.NamesPatient || e.WithoutGrant) || e.WhereEnabled && !e.AboutItself {
			t.Errorf("%s: a call about itself needs no patient and no grant", e.Name)
		}
		if e.Operation == "" || e.NamesPatient != (e.Request != "") {
			t.Errorf("%s: an endpoint needs an operation, and one that names a patient needs the words of its request", e.Name)
		}
		if e.ShowsRecord && !e.NamesPatient {
			t.Errorf("%s shows the record of a patient whom it does not name", e.Name)
		}
	}
	if _, ok := access.Find("fly"); ok {
		t.Error("there is an endpoint to fly")
	}
}

func TestOnlyKnownEndpointsAreGranted_5_6(t *testing.T) {
	t.Parallel()
	for _, name := range access.Grantable() {
		for _, mode := range []application.Mode{application.ApplicationRestricted, application.UserRestricted} {
			if err := access.CheckGrant(application.Grant{Endpoint: name, Mode: mode}); err != nil {
				t.Error(err)
			}
		}
	}
	for grant, want := range map[application.Grant]error{
		{Endpoint: "delete-everything", Mode: application.UserRestricted}: access.ErrUnknownEndpoint,
		{Endpoint: access.Ping, Mode: application.UserRestricted}:         access.ErrUnknownEndpoint,
		{Endpoint: access.CreateNote, Mode: "any"}:                        access.ErrUnknownMode,
	} {
		if err := access.CheckGrant(grant); !errors.Is(err, want) {
			t.Errorf("%s: %v", grant, err)
		}
	}
}
