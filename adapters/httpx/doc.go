// Package httpx has parts that every HTTP server of the service needs: a deadline for slow
// readers, and the address of a client behind proxies.
package httpx
