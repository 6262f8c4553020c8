package cli

import (
	"time"

	"frontdesk/adapters/webhooks"
	"frontdesk/cmd/frontdesk/app"
)

// webhookFlags are the limits of webhooks.
type webhookFlags struct {
	CallInAgeLimit    time.Duration `default:"2m" help:"Call-in events that are older are not told any more."`
	WebhookAgeLimit   time.Duration `default:"15m" help:"Nor are other events that are older than this."`
	WebhookTimeout    time.Duration `default:"10s" help:"How long one webhook may take, its answer included."`
	DeliveryRetention time.Duration `default:"720h" help:"How long it is kept how webhooks went."`
}

func (f webhookFlags) apply(c *app.Config) {
	c.CallInAgeLimit, c.WebhookAgeLimit = f.CallInAgeLimit, f.WebhookAgeLimit
	c.WebhookTimeout, c.DeliveryRetention = f.WebhookTimeout, f.DeliveryRetention
}

// masterKeyFlags are the flags of everything that makes or uses the keys that
// webhooks are signed with.
type masterKeyFlags struct {
	MasterKeyFile string `placeholder:"FILE" help:"File with the master key, which seals signing keys in the database: 32 random bytes, as \"openssl rand -base64 32\" prints them."`
	MasterKey     string `placeholder:"BASE64" help:"The master key itself: for the environment, never for a command line."`
}

// read is the master key; webhooks.ErrNoMasterKey without one.
func (f masterKeyFlags) read() (webhooks.MasterKey, error) {
	switch {
	case f.MasterKeyFile != "":
		return webhooks.ReadMasterKey(f.MasterKeyFile)
	case f.MasterKey != "":
		return webhooks.ParseMasterKey(f.MasterKey)
	}
	return webhooks.MasterKey{}, webhooks.ErrNoMasterKey
}
