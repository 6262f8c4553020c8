// Package httpx has parts that every HTTP server of the service needs: a deadline for slow
// readers, the address of a client behind proxies, and the header that demands TLS.
package httpx
