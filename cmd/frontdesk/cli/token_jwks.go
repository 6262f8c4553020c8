package cli

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"time"

	"frontdesk/adapters/bearer"
	"frontdesk/adapters/outbound"
)

// fetchKeys fetches a key set as the service does, in 5 s at most. open is what
// may be reached beside the public Internet.
func fetchKeys(ctx context.Context, url string, open []netip.Prefix) (bearer.KeySet, error) {
	guard := outbound.Guard{Allow: open}
	cache := bearer.NewKeyCache(bearer.KeyCacheConfig{
		Transport: outbound.NewTransport(guard, nil), CheckURL: guard.CheckURL, Now: time.Now,
	})
	defer cache.Close()
	return cache.Get(ctx, url)
}

func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

func readKeys(file string) (bearer.KeySet, error) {
	document, err := os.ReadFile(file)
	if err != nil {
		return bearer.KeySet{}, fmt.Errorf("read key set: %w", err)
	}
	return bearer.ReadPublished(file, document)
}
