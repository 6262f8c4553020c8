package app

import (
	"context"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/staffweb/live"
	"frontdesk/projections"
)

// liveFollowers are the read models behind the feed that live pages show.
func liveFollowers() []projections.Follower {
	return []projections.Follower{projections.Inbox{}}
}

// watched adapts the watch of the log for live pages.
type watched struct{ *eventstore.Watch }

// watch looks at the log with the tail that all consumers of the process share.
func (a *App) watch(tail *eventstore.Tail) watched {
	return watched{&eventstore.Watch{DB: a.background, Tail: tail, Follows: live.Follows(), Shows: liveFollowers()}}
}

// Look returns the changes since the last look.
func (w watched) Look(ctx context.Context) (live.Sight, error) {
	s, err := w.Watch.Look(ctx)
	return live.Sight(s), err
}

// Grown is closed when the log has grown.
func (w watched) Grown() <-chan struct{} { return w.Tail.Grown.Next() }
