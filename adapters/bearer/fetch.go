package bearer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxSet bounds a key set, in bytes (D9).
const maxSet = 256 << 10

// fetch reads the key set at url, in 5 s at most. Its errors are the three
// refusals of D10; what lies behind them is for the log alone, since it would
// let callers explore our network.
func (c *KeyCache) fetch(url string) (KeySet, error) {
	ctx, cancel := context.WithTimeout(c.ctx, fetchTimeout)
	defer cancel()
	document, err := c.download(ctx, url)
	if err != nil {
		return KeySet{}, errUnreachable.with(url).because(err)
	}
	return ReadPublished(url, document)
}

// ReadPublished reads the key set that was found at url, for which a document
// over 256 KiB may be cut behind its bound. Its errors are [*Refusal]s, as of
// [KeyCache.Get].
func ReadPublished(url string, document []byte) (KeySet, error) {
	set, err := readBounded(document)
	switch {
	case errors.Is(err, ErrNotJSON):
		return KeySet{}, errNotJSON.with(url).because(err)
	case err != nil:
		return KeySet{}, errNoUsableKey.with(url).because(err)
	}
	return set, nil
}

// readBounded takes a document over the bound for no JSON, even when what was
// read of it is some.
func readBounded(document []byte) (KeySet, error) {
	if len(document) > maxSet {
		return KeySet{}, fmt.Errorf("%w of at most %d bytes", ErrNotJSON, maxSet)
	}
	return ReadKeySet(document)
}

// download is the body of a 200, cut one byte after the bound.
func (c *KeyCache) download(ctx context.Context, url string) ([]byte, error) {
	if err := c.config.CheckURL(url); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/jwk-set+json, application/json")
	req.Header.Set("Cache-Control", "no-cache")
	req.Header.Set("User-Agent", "frontdesk")
	req.Close = true // the next fetch is an hour away
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxSet+1))
}
