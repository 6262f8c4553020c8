// Package body reads the bodies of calls within bounds, which bounds.go lists:
// the largest body has [MaxBytes].
//
// Most bodies are small, and [Read] holds them in memory. The body of a patient
// request may have 100 MiB, because of its files, of which nobody holds more
// than a little. [Files] reads it:
//
//	body ─→ raw ─→ diverter ─→ inline ─→ readJSON ─→ Form
//	        size,     │        4 MiB     strict,     members by name,
//	        hash      ▼        at most   one tree    a Content for each file
//	               upload ─→ Uploads
//	               base64, SHA-256, 256 KiB at a time
//
// Either yields a [Form], which is asked for its members by name and keeps what
// is wrong with them. The package knows nothing of callers and what they may do.
package body
