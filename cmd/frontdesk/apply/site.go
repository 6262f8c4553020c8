package apply

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"frontdesk/commands"
	"frontdesk/domain/parse"
	"frontdesk/domain/site"
	"frontdesk/projections"
)

var errNotThere = wrong("there is none with this identifier here: leave it out to add one")

// ofSite returns the steps of a site and its rooms.
func (w *work) ofSite(tenant, at string, s Site, existing []projections.Site) []step {
	var found projections.Site // of which the rooms need the identifier
	steps := []step{{settles, at + ".name", func(ctx context.Context) (err error) {
		if err := w.once("site", cmp.Or(s.Site, s.Name)); err != nil {
			return err
		}
		found, err = w.site(ctx, tenant, s, existing)
		return err
	}}}
	for n, r := range s.Rooms {
		steps = append(steps, step{opens, fmt.Sprintf("%s.rooms[%d].name", at, n), func(ctx context.Context) error {
			if found.Site == (site.ID{}) {
				return nil // the site was refused
			}
			if err := w.once("room of "+cmp.Or(s.Site, s.Name), cmp.Or(r.Room, r.Name)); err != nil {
				return err
			}
			return w.room(ctx, tenant, r, found)
		}})
	}
	return steps
}

// site makes sure that a site exists under its name. A site that a document has added and
// that was renamed since is recognised by its identifier, which is derived from its first
// name.
func (w *work) site(ctx context.Context, tenant string, s Site, existing []projections.Site) (projections.Site, error) {
	s.Name = strings.TrimSpace(s.Name)
	id, named, err := find(s.Site, s.Name, commands.SiteID(tenant, s.Name).UUID, existing, func(s projections.Site) (uuid.UUID, string) { return s.Site.UUID, s.Name })
	switch {
	case err != nil:
		return projections.Site{}, err
	case id == nil:
		added, err := w.desk.AddSite(ctx, commands.AddSite{Tenant: tenant, Once: s.Name, Name: s.Name})
		return projections.Site{Site: added}, err
	case !named:
		err = w.desk.RenameSite(ctx, commands.RenameSite{Tenant: tenant, Site: id.Site, Name: s.Name})
	}
	return *id, err
}

// room does the same for a room of a site.
func (w *work) room(ctx context.Context, tenant string, r Room, of projections.Site) error {
	r.Name = strings.TrimSpace(r.Name)
	found, named, err := find(r.Room, r.Name, commands.RoomID(tenant, of.Site, r.Name).UUID, of.Rooms, func(r projections.Room) (uuid.UUID, string) { return r.Room.UUID, r.Name })
	switch {
	case err != nil:
		return err
	case found == nil:
		_, err := w.desk.AddRoom(ctx, commands.AddRoom{Tenant: tenant, Site: of.Site, Once: r.Name, Name: r.Name})
		return err
	case named:
		return nil
	}
	return w.desk.RenameRoom(ctx, commands.RenameRoom{Tenant: tenant, Room: found.Room, Name: r.Name})
}

// find returns the existing item that a document means, and whether it already has the name;
// nil for a new one. A given identifier decides. Otherwise the name does, or else the
// identifier that is derived from that name.
func find[T any](given, name string, derived uuid.UUID, existing []T, of func(T) (uuid.UUID, string)) (found *T, named bool, err error) {
	id, isID := parse.SomeID(given)
	if given != "" && !isID {
		return nil, false, wrongf("%q is no UUID", given)
	}
	var byName, byID []*T
	for n := range existing {
		current, called := of(existing[n])
		if called == name {
			byName = append(byName, &existing[n])
		}
		if isID && current == id || !isID && current == derived {
			byID = append(byID, &existing[n])
		}
	}
	switch {
	case isID && len(byID) == 0:
		return nil, false, errNotThere
	case !isID && len(byName) > 1:
		return nil, false, wrongf("there are %d with the name %q: give the identifier of the one that is meant", len(byName), name)
	case !isID && len(byName) == 1:
		return byName[0], true, nil
	case len(byID) == 0:
		return nil, false, nil
	}
	_, called := of(*byID[0])
	return byID[0], called == name, nil
}
