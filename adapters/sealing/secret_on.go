//go:build goexperiment.runtimesecret

package sealing

import "runtime/secret"

// secretly calls f, and has the runtime overwrite the registers, the stack and the memory that
// f used. Ciphers keep a copy of their key, and nothing else overwrites them. It makes a box
// about six times slower, so it is an option of the build (D136).
func secretly(f func()) { secret.Do(f) }
