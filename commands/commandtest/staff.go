package commandtest

import (
	"context"
	"slices"
	"time"

	"frontdesk/commands"
	"frontdesk/domain/authorisation"
	"frontdesk/domain/event"
	"frontdesk/domain/staff"
)

// StaffByUsername returns the active member of staff with that username.
func (s *Store) StaffByUsername(_ context.Context, tenant, username string) (staff.ID, error) {
	id, active := s.staffNamed(tenant, username)
	if !active {
		return staff.ID{}, staff.ErrUnknown
	}
	return id, nil
}

// AnyStaffByUsername returns the member of staff with that username, even if they
// have left.
func (s *Store) AnyStaffByUsername(_ context.Context, tenant, username string) (staff.ID, error) {
	id, _ := s.staffNamed(tenant, username)
	if id == (staff.ID{}) {
		return id, staff.ErrUnknown
	}
	return id, nil
}

func (s *Store) staffNamed(tenant, username string) (id staff.ID, active bool) {
	for _, e := range s.Log() {
		switch r := e.Event.(type) {
		case staff.Registered:
			if e.Stream.Tenant == tenant && r.Username == username {
				id, active = staff.ID{UUID: e.Stream.ID}, true
			}
		case staff.Deactivated:
			active = active && e.Stream.ID != id.UUID
		case staff.Reactivated:
			active = active || e.Stream.ID == id.UUID
		case staff.Erased:
			if e.Stream.ID == id.UUID {
				id, active = staff.ID{}, false
			}
		}
	}
	return id, active
}

// NamesOf returns the username and the name of a member of staff.
func (s *Store) NamesOf(_ context.Context, tenant string, member staff.ID) (username, name string, err error) {
	for _, e := range s.Log() {
		if r, ok := e.Event.(staff.Registered); ok && e.Stream == staff.StreamOf(tenant, member) {
			return r.Username, r.Name, nil
		}
	}
	return "", "", staff.ErrUnknown
}

// AuthorisationsOf returns the current authorisations that a member of staff has given.
func (s *Store) AuthorisationsOf(_ context.Context, tenant string, member staff.ID, now time.Time) (given []authorisation.Subject, err error) {
	for _, r := range s.Log() {
		if r.Stream.Tenant != tenant {
			continue
		}
		switch e := r.Event.(type) {
		case authorisation.Granted:
			given = slices.DeleteFunc(given, func(g authorisation.Subject) bool { return g == e.Subject })
			if e.Staff == member && e.ExpiresAt.After(now) {
				given = append(given, e.Subject)
			}
		case authorisation.Revoked:
			given = slices.DeleteFunc(given, func(g authorisation.Subject) bool { return g == e.Subject })
		}
	}
	return given, nil
}

// HadPassword reports whether any of a practice's staff has or had a password.
func (s *Store) HadPassword(_ context.Context, tenant string) (bool, error) {
	return slices.ContainsFunc(s.Log(), func(r event.Recorded) bool {
		_, set := r.Event.(staff.PasswordSet)
		return set && r.Stream.Tenant == tenant
	}), nil
}

// Holder returns the member of staff who can choose a password by the link.
func (s *Store) Holder(_ context.Context, tenant string, link event.Digest, now time.Time) (commands.LinkHolder, error) {
	for _, e := range s.Log() {
		registered, ok := e.Event.(staff.Registered)
		if !ok || e.Stream.Tenant != tenant {
			continue
		}
		if s.member(e.Stream).HasLink(link, now) == nil {
			return commands.LinkHolder{Staff: staff.ID{UUID: e.Stream.ID}, Username: registered.Username, Name: registered.Name}, nil
		}
	}
	return commands.LinkHolder{}, staff.ErrLink
}

func (s *Store) member(stream event.Stream) (m staff.Member) {
	for _, e := range s.Log() {
		if e.Stream == stream {
			m = m.Apply(e.Event)
		}
	}
	return m
}
