package features_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"

	"frontdesk/cmd/frontdesk/cli"
	"frontdesk/commands"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// staffSteps are about people's accounts, by the practice's pages and the command line.
func (w *world) staffSteps(sc *godog.ScenarioContext) {
	sc.Step(`^"([^"]*)" works there as "([^"]*)" with the roles "([^"]*)"$`, w.worksThere)
	sc.Step(`^the operator "([^"]*)" has registered "([^"]*)" as "([^"]*)" with the roles "([^"]*)"$`, w.registeredBy)
	sc.Step(`^"([^"]*)" signs in$`, func(name string) error { return w.signsIn(name, firstPassword) })
	sc.Step(`^"([^"]*)" signs in with the password "([^"]*)"$`, w.signsIn)
	sc.Step(`^"([^"]*)" signs out$`, w.signsOut)
	sc.Step(`^"([^"]*)" opens "([^"]*)"$`, w.opens)
	sc.Step(`^"([^"]*)" invites "([^"]*)" as "([^"]*)" with the role "([^"]*)"$`, w.invites)
	sc.Step(`^"([^"]*)" chooses the password "([^"]*)" by the link$`, w.choosesByLink)
	sc.Step(`^"([^"]*)" does "([^"]*)" to "([^"]*)"$`, w.doesTo)
	sc.Step(`^"([^"]*)" gives "([^"]*)" the roles "([^"]*)"$`, w.givesRoles)
	sc.Step(`^"([^"]*)" requires a passkey of "([^"]*)"$`, w.requiresPasskeys)
	sc.Step(`^"([^"]*)" is (not )?signed in$`, w.isSignedIn)
	sc.Step(`^the page says "([^"]*)"$`, w.pageSays)
	sc.Step(`^the last "([^"]*)" was done by "([^"]*)"$`, w.doneBy)
	sc.Step(`^the last "([^"]*)" was done by an operator for "([^"]*)"$`, w.doneByOperatorFor)
	sc.Step(`^the log comes to show "([^"]*)"$`, func(name string) error {
		return w.comesToShow(name, func(event.Actor) bool { return true })
	})
	sc.Step(`^an operator acts for "([^"]*)" and runs "([^"]*)"$`, w.operatorRuns)
}

// firstPassword is the password of all staff who were registered with one.
const firstPassword = "coffee tin fish"

func (w *world) worksThere(name, username, roles string) error {
	return w.registers(w.ctx, name, username, roles)
}

func (w *world) registeredBy(operator, name, username, roles string) error {
	return w.registers(w.operator(operator), name, username, roles)
}

func (w *world) registers(ctx context.Context, name, username, roles string) error {
	w.usernames[name] = username
	_, err := w.Desk.RegisterStaff(ctx, commands.RegisterStaff{
		Tenant: w.tenant(w.practice), Username: username, Name: name, Email: "staff@practice.example",
		Roles: rolesOf(roles), Password: firstPassword,
	})
	return err
}

func rolesOf(text string) (roles staff.Roles) {
	for role := range strings.FieldsSeq(text) {
		roles = append(roles, staff.Role(role))
	}
	return roles
}

func (w *world) signsIn(name, password string) error {
	return w.browser(name).fill("sign-in", "/sign-in", map[string][]string{"username": {w.usernames[name]}, "password": {password}})
}

func (w *world) signsOut(name string) error {
	return w.browser(name).fill("account", "/sign-out", nil)
}

func (w *world) opens(name, page string) error { return w.browser(name).get(page) }

func (w *world) invites(manager, name, username, role string) error {
	w.usernames[name] = username
	err := w.browser(manager).fill("people?invite", "invite", map[string][]string{
		"name": {name}, "username": {username}, "email": {"kim@practice.example"}, "role": {role},
	})
	return errors.Join(err, w.handed())
}

// handed keeps the link on the page, if there is one.
func (w *world) handed() error {
	if _, after, shown := strings.Cut(w.page, `<textarea id="link"`); shown {
		_, after, _ = strings.Cut(after, ">")
		w.link, _, _ = strings.Cut(after, "<")
	}
	return nil
}

func (w *world) choosesByLink(name, password string) error {
	b := w.browser(name)
	if err := b.open(w.link); err != nil || strings.Contains(w.page, "cannot be used") {
		return err
	}
	return b.fill("link", "/link", map[string][]string{"password": {password}})
}

func (w *world) doesTo(manager, do, name string) error {
	return w.changes(manager, do, name, nil)
}

func (w *world) givesRoles(manager, name, roles string) error {
	return w.changes(manager, "roles", name, map[string][]string{"role": strings.Fields(roles)})
}

func (w *world) requiresPasskeys(manager, roles string) error {
	return w.browser(manager).fill("people/passkeys", "/people/passkeys", map[string][]string{"role": strings.Fields(roles)})
}

// changes sends a form of a member's page.
func (w *world) changes(manager, do, name string, values map[string][]string) error {
	id, err := w.Staff.AnyStaffByUsername(w.ctx, w.tenant(w.practice), w.usernames[name])
	if err != nil {
		return err
	}
	err = w.browser(manager).fill("people?member="+id.String(), do, values)
	return errors.Join(err, w.handed())
}

func (w *world) isSignedIn(name, not string) error {
	if err := w.browser(name).get("account"); err != nil {
		return err
	}
	if strings.Contains(w.page, "<h1>Your account</h1>") != (not == "") {
		return fmt.Errorf("the page is %s", w.page)
	}
	return nil
}

func (w *world) pageSays(text string) error {
	if !strings.Contains(w.page, text) {
		return fmt.Errorf("the page is %s", w.page)
	}
	return nil
}

func (w *world) doneBy(name, member string) error {
	id, err := w.Staff.AnyStaffByUsername(w.ctx, w.tenant(w.practice), w.usernames[member])
	if err != nil {
		return err
	}
	return w.comesToShow(name, func(by event.Actor) bool { return by == event.Staff(id.UUID) })
}

func (w *world) doneByOperatorFor(name, member string) error {
	id, err := w.Staff.AnyStaffByUsername(w.ctx, w.tenant(w.practice), w.usernames[member])
	if err != nil {
		return err
	}
	return w.comesToShow(name, func(by event.Actor) bool { return by.Kind == event.ByOperator && by.For == id.UUID })
}

// comesToShow waits for an event, because those of signing in are written after the
// answer.
func (w *world) comesToShow(name string, by func(event.Actor) bool) error {
	return eventually(func() error {
		found, err := w.events(name)
		if err == nil && !slices.ContainsFunc(found, func(e event.Recorded) bool { return by(e.Metadata.Actor) }) {
			err = fmt.Errorf("the log shows %d, none of them by who is meant", len(found))
		}
		return err
	})
}

// operatorRuns runs the command line at the practice.
func (w *world) operatorRuns(member, line string) error {
	args := append(strings.Fields(line), "--tenant="+w.tenant(w.practice), "--as="+w.usernames[member], "--database-url="+w.DB.URL)
	var out, said bytes.Buffer
	if status := cli.Main(w.ctx, args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &said}); status != 0 {
		return fmt.Errorf("exit status %d: %s", status, said.String())
	}
	return nil
}
