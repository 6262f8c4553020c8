package commands_test

import (
	"context"
	"testing"

	"frontdesk/commands"
	"frontdesk/domain/access"
	"frontdesk/domain/application"
	"frontdesk/domain/event"
)

func TestRegisterApplicationWithSettings_5_6(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.tenant = "" // it belongs to no practice
	var id application.ID
	register := func(r commands.RegisterApplication) func(context.Context) error {
		return func(ctx context.Context) (err error) {
			id, err = commands.Desk{Store: s, CheckURL: checkURL}.RegisterApplication(ctx, r)
			return err
		}
	}
	const callback = "https://app.example/done"
	s.play(t,
		step{"without a name", register(commands.RegisterApplication{Name: " ", JWKSURL: keysURL}), nil, application.ErrNameless},
		step{"keys that are not fetched", register(commands.RegisterApplication{Name: "Referrals", JWKSURL: "https://10.0.0.1/jwks"}), nil, errInternalURL},
		step{"a callback that harms", register(commands.RegisterApplication{Name: "Referrals", JWKSURL: keysURL, Callbacks: []string{"javascript:x"}}),
			nil, application.ErrInvalidCallback},
		step{"plain", register(commands.RegisterApplication{Name: "Referrals", JWKSURL: keysURL}),
			[]event.Event{application.Registered{Name: "Referrals", JWKSURL: keysURL}}, nil},
		step{"with everything", register(commands.RegisterApplication{
			Name: "Referrals", JWKSURL: keysURL, Callbacks: []string{callback, "referrals:/done", callback}, PatientScoped: true,
		}), []event.Event{
			application.Registered{Name: "Referrals", JWKSURL: keysURL}, application.CallbackAdded{Callback: callback},
			application.CallbackAdded{Callback: "referrals:/done"}, application.PatientScopedMarked{},
		}, nil},
	)
	if last := s.Log()[len(s.Log())-1]; id.Version() != 7 || last.Stream != application.StreamOf(id) {
		t.Errorf("the identifier returned is %s, the stream %v", id, last.Stream)
	}
	known := application.ID{UUID: event.NewID()}
	again := register(commands.RegisterApplication{Application: known, Name: "Referrals", JWKSURL: keysURL})
	s.play(t,
		step{"as it was known elsewhere", again, []event.Event{application.Registered{Name: "Referrals", JWKSURL: keysURL}}, nil},
		step{"as one that is known here", again, nil, application.ErrExists},
	)
	if id != known {
		t.Errorf("the identifier given is %s, the one returned %s", known, id)
	}
}

func TestApplicationSettingsChange_5_6(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.tenant = ""
	id := s.application(t, "Referrals", false)
	keys := func(id application.ID, url string) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s, CheckURL: checkURL}.SetJWKSURL(ctx, commands.SetJWKSURL{Application: id, JWKSURL: url})
		}
	}
	add := func(id application.ID, callback string) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.AddCallback(ctx, commands.AddCallback{Application: id, Callback: callback})
		}
	}
	remove := func(id application.ID, callback string) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.RemoveCallback(ctx, commands.RemoveCallback{Application: id, Callback: callback})
		}
	}
	mark := func(id application.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.MarkPatientScoped(ctx, commands.MarkPatientScoped{Application: id})
		}
	}
	unmark := func(id application.ID) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.UnmarkPatientScoped(ctx, commands.UnmarkPatientScoped{Application: id})
		}
	}
	const other, callback = "https://app.example/keys", "https://app.example/done"
	s.play(t,
		step{"unknown keys", keys(unknownApplication, other), nil, application.ErrUnknown},
		step{"keys that are not fetched", keys(id, "https://10.0.0.1/jwks"), nil, errInternalURL},
		step{"the keys it has", keys(id, keysURL), nil, nil},
		step{"other keys", keys(id, other), []event.Event{application.JWKSURLSet{JWKSURL: other}}, nil},
		step{"the same again", keys(id, other), nil, nil},

		step{"unknown callback", add(unknownApplication, callback), nil, application.ErrUnknown},
		step{"a callback that harms", add(id, "http://app.example/"), nil, application.ErrInvalidCallback},
		step{"a callback", add(id, callback), []event.Event{application.CallbackAdded{Callback: callback}}, nil},
		step{"it is there", add(id, callback), nil, nil},
		step{"it goes", remove(id, callback), []event.Event{application.CallbackRemoved{Callback: callback}}, nil},
		step{"it is gone", remove(id, callback), nil, nil},
		step{"unknown goes", remove(unknownApplication, callback), nil, application.ErrUnknown},
		step{"it comes back", add(id, callback), []event.Event{application.CallbackAdded{Callback: callback}}, nil},

		step{"unknown mark", mark(unknownApplication), nil, application.ErrUnknown},
		step{"a mark", mark(id), []event.Event{application.PatientScopedMarked{}}, nil},
		step{"it is marked", mark(id), nil, nil},
		step{"no mark", unmark(id), []event.Event{application.PatientScopedUnmarked{}}, nil},
		step{"it is not marked", unmark(id), nil, nil},
		step{"unknown is revoked", unmark(unknownApplication), nil, application.ErrUnknown},
	)
}

func TestEndpointIsGrantedAndRevokedPerMode_5_6(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.tenant = ""
	id := s.application(t, "Referrals", false)
	grant := func(id application.ID, g application.Grant) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.GrantEndpoint(ctx, commands.GrantEndpoint{Application: id, Grant: g})
		}
	}
	revoke := func(id application.ID, g application.Grant) func(context.Context) error {
		return func(ctx context.Context) error {
			return commands.Desk{Store: s}.RevokeEndpoint(ctx, commands.RevokeEndpoint{Application: id, Grant: g})
		}
	}
	forItself := application.Grant{Endpoint: access.CreateNote, Mode: application.ApplicationRestricted}
	forUsers := application.Grant{Endpoint: access.CreateNote, Mode: application.UserRestricted}
	s.play(t,
		step{"unknown", grant(unknownApplication, forItself), nil, application.ErrUnknown},
		step{"no endpoint", grant(id, application.Grant{Endpoint: "fly", Mode: forItself.Mode}), nil, access.ErrUnknownEndpoint},
		step{"ping", grant(id, application.Grant{Endpoint: access.Ping, Mode: forItself.Mode}), nil, access.ErrUnknownEndpoint},
		step{"no mode", grant(id, application.Grant{Endpoint: access.CreateNote, Mode: "any"}), nil, access.ErrUnknownMode},
		step{"for itself", grant(id, forItself), []event.Event{application.EndpointGranted{Grant: forItself}}, nil},
		step{"for itself again", grant(id, forItself), nil, nil},
		step{"for users", grant(id, forUsers), []event.Event{application.EndpointGranted{Grant: forUsers}}, nil},
		step{"unknown is revoked", revoke(unknownApplication, forUsers), nil, application.ErrUnknown},
		step{"one is taken", revoke(id, forUsers), []event.Event{application.EndpointRevoked{Grant: forUsers}}, nil},
		step{"and again", revoke(id, forUsers), nil, nil},
		step{"the other is there", grant(id, forItself), nil, nil},
	)
}
