package broker

import (
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/feed"
)

// Follower is somebody who reads the log from an account of the broker that is theirs
// alone. Their consumers are made for them, so what they read is nothing that they could
// ask for: an account that may make consumers of its own may have messages sent to
// whoever listens in the log's account, the streams themselves among them.
type Follower struct {
	Name   string // of the account, of its user and of the consumers
	Tenant string // the practice that they follow; "" for all of the log
}

// What one follower may have the broker do at a time.
const (
	grantedBatch   = 1000 // messages that one request asks for
	grantedExpiry  = time.Minute
	grantedWaiting = 16 // requests
)

// consumer is the follower's of an epoch.
func (f Follower) consumer(epoch int) jetstream.ConsumerConfig {
	subjects := feed.Subjects(epoch)
	if f.Tenant != "" {
		subjects = strings.TrimSuffix(subjects, ">") + f.Tenant + ".>"
	}
	return jetstream.ConsumerConfig{
		Durable: f.Name, FilterSubject: subjects, AckPolicy: jetstream.AckNonePolicy,
		MaxRequestBatch: grantedBatch, MaxRequestExpires: grantedExpiry, MaxWaiting: grantedWaiting,
	}
}

// follower is whose consumer of an epoch this is, and false if [Grant] has not made it.
func follower(epoch int, is jetstream.ConsumerConfig) (f Follower, granted bool) {
	rest, found := strings.CutPrefix(is.FilterSubject, strings.TrimSuffix(feed.Subjects(epoch), ">"))
	f = Follower{Name: is.Durable, Tenant: strings.TrimSuffix(strings.TrimSuffix(rest, ">"), ".")}
	return f, found && f.Name != "" && f.consumer(epoch).FilterSubject == is.FilterSubject
}
