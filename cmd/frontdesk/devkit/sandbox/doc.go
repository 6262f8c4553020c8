// Package sandbox runs the whole of frontdesk on one machine, to try it out: a
// private Postgres, a seeded practice, an application with its keys, and the
// service itself. It listens on loopback only, except in a container of its image.
//
//	Dir/postgres             the database, kept between runs
//	Dir/application-key.pem  the sandbox application's private key
//	Dir/master.key           encrypts personal data and the keys that webhooks are signed with
//	Dir/webhooks.jsonl       the webhooks that the application has received
//	Dir/webhook-ca.pem       the authority of the receiver's certificate; its key is next to it
//	Dir/seed.json            the seeded data, so that it is seeded once
//	Dir/seed-template.json   the same as it was just after seeding, for resets
//	Dir/clock.json           the offset of the practice's clock
//	Dir/control/socket       its control socket; there while it runs
//	Dir/sandbox.json         everything a client needs; there while it is ready
//
// The parts that stay while it runs are an instance, in which one service replaces another at
// each reset (D96).
package sandbox
