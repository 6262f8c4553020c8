package broker

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"frontdesk/domain/practice"
	"frontdesk/feed"
)

// Follower is a reader of the log with an account of its own at the broker. Its
// consumers are created for it, so it cannot choose what they read. An account that may
// create consumers could have messages delivered to subjects in the log's account,
// including those of the streams.
type Follower struct {
	Name   string // of the account, its user and its consumers
	Tenant string // the practice that it follows; "" for the whole log
}

// The limits of one follower at the broker.
const (
	grantedBatch   = 1000 // messages in one request
	grantedExpiry  = time.Minute
	grantedWaiting = 16 // requests
)

// Check returns an error for an invalid follower. A name has the form of a tenant
// identifier, because it is part of subjects and of the broker's configuration.
func (f Follower) Check() error {
	if practice.CheckTenant(f.Name) != nil {
		return fmt.Errorf("%q can be no follower's name: give 1 to 63 characters of a-z, 0-9 and -, of which - is not the first", f.Name)
	}
	if f.Tenant == "" {
		return nil
	}
	return practice.CheckTenant(f.Tenant)
}

// account is a follower's account: its imports from the log's account have a prefix of
// their own. Every account already has the API's default prefix, for streams of its
// own.
var account = template.Must(template.New("").Parse(`{{.Name}} {
  users: [{ user: {{.Name}}, password: {{.Hash}} }]
  imports: [
{{- range .Subjects}}
    { service: { account: LOG, subject: "$JS.API.{{.}}" }, to: "{{$.API}}.{{.}}" }
{{- end}}
  ]
}
`))

// Account returns the follower's account for nats-followers.conf. The hash is of the
// password, by bcrypt.
func (f Follower) Account(hash string) (string, error) {
	var text strings.Builder
	err := account.Execute(&text, map[string]any{"Name": f.Name, "Hash": hash, "API": feed.API, "Subjects": []string{
		"CONSUMER.MSG.NEXT.*." + f.Name, "CONSUMER.RESET.*." + f.Name, "CONSUMER.INFO.*." + f.Name,
		"DIRECT.GET." + feed.EpochsStream + "." + feed.EpochsSubject,
	}})
	if err != nil {
		return "", fmt.Errorf("write the account: %w", err)
	}
	return text.String(), nil
}

// errEmpty: there is no stream to grant yet.
var errEmpty = errors.New("the broker holds nothing of the log yet: start the relay first")

// consumer is the follower's consumer of an epoch.
func (f Follower) consumer(epoch int) jetstream.ConsumerConfig {
	subjects := feed.Subjects(epoch)
	if f.Tenant != "" {
		subjects = feed.Subject(epoch, f.Tenant, ">")
	}
	return jetstream.ConsumerConfig{
		Durable: f.Name, FilterSubject: subjects, AckPolicy: jetstream.AckNonePolicy,
		MaxRequestBatch: grantedBatch, MaxRequestExpires: grantedExpiry, MaxWaiting: grantedWaiting,
	}
}

// follower returns the owner of a consumer of an epoch; false if [Grant] did not create
// it.
func follower(epoch int, is jetstream.ConsumerConfig) (f Follower, granted bool) {
	rest, found := strings.CutPrefix(is.FilterSubject, strings.TrimSuffix(feed.Subjects(epoch), ">"))
	f = Follower{Name: is.Durable, Tenant: strings.TrimSuffix(strings.TrimSuffix(rest, ">"), ".")}
	return f, found && f.Check() == nil && f.consumer(epoch).FilterSubject == is.FilterSubject
}
