//go:build !goexperiment.runtimesecret

package sealing

// secretly calls f. Ciphers that f used stay in memory until it is used again.
func secretly(f func()) { f() }
