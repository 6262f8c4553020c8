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

// Check is an error that says what is wrong with a follower. A name has the form of a tenant
// identifier: it stands in subjects and in the broker's configuration.
func (f Follower) Check() error {
	if practice.CheckTenant(f.Name) != nil {
		return fmt.Errorf("%q can be no follower's name: give 1 to 63 characters of a-z, 0-9 and -, of which - is not the first", f.Name)
	}
	if f.Tenant == "" {
		return nil
	}
	return practice.CheckTenant(f.Tenant)
}

// account is what one follower may ask the log's account for, under a prefix of its own: every
// account has the API's usual one already, for streams that it might have itself.
var account = template.Must(template.New("").Parse(`{{.Name}} {
  users: [{ user: {{.Name}}, password: {{.Hash}} }]
  imports: [
{{- range .Subjects}}
    { service: { account: LOG, subject: "$JS.API.{{.}}" }, to: "{{$.API}}.{{.}}" }
{{- end}}
  ]
}
`))

// Account returns the follower's account, as it stands in nats-followers.conf. The hash is
// of the password, by bcrypt.
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

// errEmpty says that nothing can be granted yet.
var errEmpty = errors.New("the broker holds nothing of the log yet: start the relay first")

// consumer is the follower's of an epoch.
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

// follower is whose consumer of an epoch this is, and false if [Grant] has not made it.
func follower(epoch int, is jetstream.ConsumerConfig) (f Follower, granted bool) {
	rest, found := strings.CutPrefix(is.FilterSubject, strings.TrimSuffix(feed.Subjects(epoch), ">"))
	f = Follower{Name: is.Durable, Tenant: strings.TrimSuffix(strings.TrimSuffix(rest, ">"), ".")}
	return f, found && f.Check() == nil && f.consumer(epoch).FilterSubject == is.FilterSubject
}
