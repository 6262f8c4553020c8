package app

import (
	"context"

	"frontdesk/adapters/postgres/eventstore"
	"frontdesk/adapters/staffweb/live"
	"frontdesk/projections"
)

// shownLive are the read models behind the feed that live pages show.
func shownLive() []projections.Follower {
	return []projections.Follower{projections.CallInBoard{}, projections.Inbox{}}
}

// watched is the log as live pages are told of it.
type watched struct{ *eventstore.Watch }

// watch looks at the log with the tail that all consumers of the process share.
func (a *App) watch(tail *eventstore.Tail) watched {
	return watched{&eventstore.Watch{DB: a.background, Tail: tail, Follows: live.Follows(), Shows: shownLive()}}
}

// Look returns what has come since the last look.
func (w watched) Look(ctx context.Context) (live.Sight, error) {
	s, err := w.Watch.Look(ctx)
	return live.Sight(s), err
}

// Grown is closed when the log has grown.
func (w watched) Grown() <-chan struct{} { return w.Tail.Grown.Next() }
