// Package trouble searches for an order of events that breaks the engine: the store,
// the sequencer, the feed and the webhooks, together on a Postgres that is crashed,
// loses its power, and is got in the way of.
//
//	make prove                                                    # half an hour, from a new seed
//	FRONTDESK_SEED=42 go test -tags prove -v -count 1  ./cmd/frontdesk/trouble
//
// It holds only tests. A search is a sequence of worlds, and each has a seed of its own. A
// world is a cluster with odd settings, a few processes that sequence, consume and send, and
// writers that remember their acknowledgements. It lives for a few rounds: trouble for some
// seconds, then rest, then every guarantee is checked.
//
// The seed decides the plan: settings, the writers, the times of each trouble, and the dice
// that each of them throws. Their interleaving depends on the machine, so a seed that found
// something finds it again often, and not always. A failure prints the seed of its world, the
// round's plan, the broken guarantee, and the state of the database there.
package trouble
