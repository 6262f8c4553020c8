//go:build prove

package main_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"frontdesk.example/client"
	"frontdesk/adapters/clock"
	"frontdesk/cmd/frontdesk/testworld"
	"frontdesk/commands"
	"frontdesk/domain/application"
	"frontdesk/domain/patient"
)

// The load on a practice of the history: that many clients at once, each making that many
// calls, while operators change their rights.
const (
	callersOfAPractice   = 4
	callsOfACaller       = 250
	operatorsOfAPractice = 2
)

// practiceAsked is a practice with one application, two members of staff and two patients.
// The answers to its calls depend on nothing outside.
type practiceAsked struct {
	*rightsTrial
	tenant    string
	signer    *client.Signer
	app       application.ID
	usernames [staffOfModel]string
	patients  [patientsOfModel]patient.ID
	manager   manager
	history   *rightsHistory
}

// openPractice makes a practice in which the application has no rights yet.
func (s *rightsTrial) openPractice(ctx context.Context, nth uint64) (*practiceAsked, error) {
	p := &practiceAsked{rightsTrial: s, tenant: fmt.Sprintf("practice-%d", nth), history: &rightsHistory{begun: clock.System()}}
	err := s.engine.Desk.RegisterPractice(ctx, commands.RegisterPractice{Tenant: p.tenant, Name: p.tenant})
	if err != nil {
		return nil, err
	}
	p.app, err = s.engine.Desk.RegisterApplication(ctx, commands.RegisterApplication{Name: p.tenant, JWKSURL: s.keys, PatientScoped: true})
	if err != nil {
		return nil, err
	}
	p.signer, err = testworld.Signer("", s.keyFile)
	if err != nil {
		return nil, err
	}
	if err := p.invite(ctx); err != nil {
		return nil, err
	}
	p.manager, err = p.hireManager(ctx, s.plan(nth, dialsOfTheManager))
	return p, err
}

// invite makes the staff and the patients of the model.
func (p *practiceAsked) invite(ctx context.Context) (err error) {
	for n := range p.usernames {
		name := fmt.Sprintf("dr.lee-%d", n)
		_, err = p.engine.Desk.RegisterStaff(ctx, commands.RegisterStaff{Tenant: p.tenant, Username: name, Name: name, Email: name + "@example.org"})
		if err != nil {
			return err
		}
		p.usernames[n] = name
	}
	for n := range p.patients {
		p.patients[n], err = p.engine.Desk.RegisterPatient(ctx, commands.RegisterPatient{Tenant: p.tenant, Name: "Ann Archer"})
		if err != nil {
			return err
		}
	}
	return nil
}

// live makes calls and changes at once, and checks the answers.
func (p *practiceAsked) live(ctx context.Context, nth uint64) {
	operating, stop := context.WithCancel(ctx)
	var callers, operators sync.WaitGroup
	client := 0
	begin := func(of *sync.WaitGroup, ctx context.Context, does func(context.Context, int, *rand.Rand)) {
		me, plan := client, p.plan(nth, uint64(client))
		of.Go(func() { does(ctx, me, plan) })
		client++
	}
	for range callersOfAPractice {
		begin(&callers, ctx, p.call)
	}
	for range operatorsOfAPractice {
		begin(&operators, operating, p.operate)
	}
	begin(&operators, operating, p.manager.manage)
	callers.Wait()
	stop()
	operators.Wait()
	begun := clock.Start()
	p.history.check(p.t, practiceState{})
	p.tally.checked(begun.Elapsed())
	p.sample(p.plan(nth, samplesDrawn))
}

// Plans of a practice that are no client's.
const (
	dialsOfTheManager = 254
	samplesDrawn      = 255
)

// plan is the random part of one client's actions.
func (s *rightsTrial) plan(practice, client uint64) *rand.Rand {
	return rand.New(rand.NewPCG(s.seed, practice<<8|client))
}
