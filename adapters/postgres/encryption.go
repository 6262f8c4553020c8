package postgres

import (
	"fmt"
	"net/netip"
	"path/filepath"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Unverified returns a server on another machine that connections to a URL may reach without
// TLS, or without checking whose certificate it shows; "" for none.
func Unverified(url string) (host string, err error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return "", fmt.Errorf("read the database URL: %w", err)
	}
	first := &pgconn.FallbackConfig{Host: config.Host, TLSConfig: config.TLSConfig}
	for _, server := range append([]*pgconn.FallbackConfig{first}, config.Fallbacks...) {
		if !isLocal(server.Host) && (server.TLSConfig == nil || server.TLSConfig.InsecureSkipVerify) {
			return server.Host, nil
		}
	}
	return "", nil
}

// isLocal reports whether a host is this machine: a folder of sockets, or loopback.
func isLocal(host string) bool {
	address, err := netip.ParseAddr(host)
	return filepath.IsAbs(host) || host == "localhost" || err == nil && address.IsLoopback()
}
