package commands_test

import (
	"errors"
	"testing"

	"frontdesk/commands"
	"frontdesk/commands/commandtest"
	"frontdesk/domain/application"
	"frontdesk/domain/fault"
)

func TestAWebhookIsCheckedSetAndRemoved_6(t *testing.T) {
	t.Parallel()
	store, internal := commandtest.NewStore(), fault.New(fault.Invalid, "invalid-url", "It is internal.")
	check := func(url string) error {
		if url == "https://10.0.0.1/" {
			return internal
		}
		return nil
	}
	register := commands.Desk{Store: store, CheckURL: check}
	id, err := register.RegisterApplication(t.Context(), commands.RegisterApplication{Name: "Referrals", JWKSURL: "https://app.example/jwks"})
	if err != nil {
		t.Fatal(err)
	}
	set := func(url string) error {
		return commands.Desk{Store: store, CheckURL: check}.SetWebhook(t.Context(),
			commands.SetWebhook{Application: id, Event: application.CallInShown, URL: url})
	}
	for url, want := range map[string]error{
		"https://app.example/hook": nil, "https://10.0.0.1/": internal, "http://app.example/": application.ErrWebhookNotHTTPS,
	} {
		if got := set(url); !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
	remove := commands.Desk{Store: store}
	if err := remove.RemoveWebhook(t.Context(), commands.RemoveWebhook{Application: id, Event: application.CallInShown}); err != nil {
		t.Error(err)
	}
	last := store.Log()[len(store.Log())-1].Event
	if last != (application.WebhookRemoved{Event: application.CallInShown}) {
		t.Errorf("the last event is %#v", last)
	}
}
