package outbound_test

import (
	"errors"
	"fmt"
	"net/netip"

	"frontdesk/adapters/outbound"
)

// The operator has opened one network beyond the public Internet.
func ExampleGuard() {
	guard := outbound.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, Flag: "--allow-network"}
	for _, url := range []string{"https://app.example/hooks", "https://10.1.2.3/hooks", "https://10.2.2.3/hooks", "http://8.8.8.8/hooks"} {
		fmt.Println(url, guard.CheckURL(url))
	}

	// A name is checked when it is dialled, by its current address.
	client := outbound.NewClient(outbound.NewTransport(guard, nil))
	_, err := client.Get("https://localhost:1/")
	fmt.Println(errors.Is(err, outbound.ErrBlocked))
	// Output:
	// https://app.example/hooks <nil>
	// https://10.1.2.3/hooks <nil>
	// https://10.2.2.3/hooks invalid-url: The URL's address is not public: its network must be opened first, by --allow-network.
	// http://8.8.8.8/hooks invalid-url: The URL must start with https: http is for opened networks only, by --allow-network.
	// true
}
