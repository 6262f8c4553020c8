// Package signing keeps the service's own keys and signs with them (§6.4).
//
//   - [Vault] creates keys and stores their private halves in the database, encrypted
//     with the master key.
//   - [Signer] makes a JWT of a payload, with a key from the vault.
//   - [KeySet] publishes the public halves, so that receivers can verify.
//
// Which key signs, and for how long each is published, are rules of the domain: see
// package signingkey.
//
// Trust: read access to the database reveals no private key.
package signing
