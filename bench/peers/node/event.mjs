// An event of a usual size: about 300 bytes, and 150 of metadata.

export const type = 'test.noted.v1'
export const data = (key) => ({ patient: key, note: 'It hurts when I laugh. '.repeat(10) })
export const metadata = {
  actor: { kind: 'application', id: '0190c7a2-0000-7000-8000-00000000000a' },
  requestId: '0190c7a2-0000-7000-8000-00000000000b',
}

// The same for all that take part, where it can be set: see bench_test.go.
export const connections = 40
export const batch = 1000
export const poll = 10
