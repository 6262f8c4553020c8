// Package kubernetes checks the manifests of docs/operate/kubernetes against Kubernetes' own
// types, schemas and rules. It is a module of its own, so that builds of frontdesk do not download
// Kubernetes' dependencies. It starts no cluster: none of its programs is on the Go module proxy.
package kubernetes
