package site_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"frontdesk/domain/event"
	"frontdesk/domain/event/eventtest"
	"frontdesk/domain/site"
)

var (
	main      = site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c1")}
	branch    = site.ID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000c2")}
	room      = site.RoomID{UUID: uuid.MustParse("0190c7a2-0000-7000-8000-0000000000d1")}
	added     = site.Added{Site: main, Name: "Elm Street"}
	roomAdded = site.RoomAdded{Room: room, Site: main, Name: "Room 1"}

	renamed     = site.Renamed{Site: main, Name: "Elm House"}
	roomRenamed = site.RoomRenamed{Room: room, Site: main, Name: "Nurse"}
)

func TestASiteIsAddedUnderAName(t *testing.T) {
	t.Parallel()
	eventtest.Decided(site.Add(main, " Elm Street ")).Then(t, added)
	eventtest.Decided(site.Add(main, "\t")).Refuses(t, site.ErrNameless)
}

func TestARoomIsAddedUnderAName(t *testing.T) {
	t.Parallel()
	eventtest.Decided(site.AddRoom(room, main, " Room 1 ")).Then(t, roomAdded)
	eventtest.Decided(site.AddRoom(room, main, "")).Refuses(t, site.ErrNameless)
}

func TestASiteAndARoomAreGivenOtherNames(t *testing.T) {
	t.Parallel()
	sites, rooms := eventtest.Given[site.Site], eventtest.Given[site.Room]
	rename := func(name string) func(site.Site) ([]event.Event, error) {
		return func(s site.Site) ([]event.Event, error) { return s.Rename(name) }
	}
	renameRoom := func(name string) func(site.Room) ([]event.Event, error) {
		return func(r site.Room) ([]event.Event, error) { return r.Rename(name) }
	}

	sites(added).When(rename(" Elm House ")).Then(t, renamed)
	sites(added, renamed).When(rename("Elm House")).Then(t)
	sites(added, renamed).When(rename("Elm Street")).Then(t, site.Renamed{Site: main, Name: "Elm Street"})
	sites(added).When(rename(" ")).Refuses(t, site.ErrNameless)
	sites().When(rename("Elm House")).Refuses(t, site.ErrUnknown)
	rooms(roomAdded).When(renameRoom("Nurse")).Then(t, roomRenamed)
	rooms(roomAdded, roomRenamed).When(renameRoom("Nurse ")).Then(t)
	rooms(roomAdded).When(renameRoom("")).Refuses(t, site.ErrNameless)
	rooms().When(renameRoom("Nurse")).Refuses(t, site.ErrRoomUnknown)
}

func TestASiteIsKnownOnceAdded(t *testing.T) {
	t.Parallel()
	if err := event.Fold[site.Site](added).Known(); err != nil {
		t.Error(err)
	}
	if err := event.Fold[site.Site]().Known(); !errors.Is(err, site.ErrUnknown) {
		t.Errorf("got %v, want %v", err, site.ErrUnknown)
	}
}

func TestARoomBelongsToOneSite(t *testing.T) {
	t.Parallel()
	if err := event.Fold[site.Room](roomAdded).CheckSite(main); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		room site.Room
		at   site.ID
	}{
		{event.Fold[site.Room](roomAdded), branch},
		{event.Fold[site.Room](), main},
		{event.Fold[site.Room](), site.ID{}},
	} {
		if err := c.room.CheckSite(c.at); !errors.Is(err, site.ErrRoomUnknown) {
			t.Errorf("%v at %s: %v, want %v", c.room, c.at, err, site.ErrRoomUnknown)
		}
	}
}

func TestStoredEvents(t *testing.T) {
	t.Parallel()
	eventtest.Golden(t, added, renamed, roomAdded, roomRenamed)
}
