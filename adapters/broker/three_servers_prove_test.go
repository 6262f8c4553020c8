//go:build prove

package broker_test

import (
	"slices"
	"testing"

	"frontdesk/adapters/broker"
	"frontdesk/adapters/broker/brokertest"
	"frontdesk/adapters/provetest"
	"frontdesk/feed"
)

// The stream's leader among three servers is killed again and again.
func TestProveRelayOutlivesLeaders_D101(t *testing.T) {
	t.Parallel()
	all := brokertest.Cluster(t, 3)
	var urls []string
	for _, s := range all {
		urls = append(urls, s.URL())
	}
	log := newLog(2000)
	relay(t, urls[0], log, func(r *broker.Relay) { r.Server.URLs, r.Streams.Replicas = urls, 3 })
	js := all[0].JetStream()
	ends(t, js, first, 2000)
	for end := int64(4000); end <= 6000; end += 2000 {
		log.add(1000)
		leader := all[slices.IndexFunc(all, func(s *brokertest.Server) bool { return s.LeadsStream(feed.StreamName(1)) })]
		leader.Stop()
		log.add(1000)
		ends(t, js, first, end)
		leader.Start()
	}
	holds(t, js, log, first, 6000)
	provetest.Tried(t, 2, "leaders that stopped")
	provetest.Tried(t, 6000, "events")
}

// Followers read from the documented three servers as from one.
func TestProveFollowersOfThreeServers_D102(t *testing.T) {
	t.Parallel()
	followRelay(t, 3)
	provetest.Tried(t, 2, "followers")
}
