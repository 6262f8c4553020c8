package testworld

import (
	"frontdesk.example/client"
)

// Signer signs with the private key in a file. An empty kid is the key's thumbprint.
func Signer(kid, file string) (*client.Signer, error) {
	key, err := client.ReadKey(kid, file)
	if err != nil {
		return nil, err
	}
	return client.NewSigner(key)
}
