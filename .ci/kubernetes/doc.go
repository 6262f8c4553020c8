// Package kubernetes holds the manifests of docs/operations/kubernetes against Kubernetes' own
// types, schemas and rules. It is a module of its own, so that nobody who builds frontdesk
// downloads what Kubernetes is made of. No cluster is started: none of its programs comes by
// the Go module proxy.
package kubernetes
