package cli

import "frontdesk/adapters/webhooks"

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
