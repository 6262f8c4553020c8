// Package body reads the bodies of calls within the limits in bounds.go. The largest
// body has [MaxBytes].
//
// Most bodies are small, and [Read] holds them in memory. The body of a patient request
// may have 100 MiB, because of its files. [Files] reads it and holds only a little of a
// file in memory at a time:
//
//	body ─→ raw ─→ diverter ─→ inline ─→ readJSON ─→ Form
//	        size,     │        4 MiB     strict,     members by name,
//	        hash      ▼        at most   one tree    a Content for each file
//	               upload ─→ Uploads
//	               base64, SHA-256, 256 KiB at a time
//
// Both return a [Form], whose members are read by name and which collects their faults.
// The package does not know callers or their rights.
package body
