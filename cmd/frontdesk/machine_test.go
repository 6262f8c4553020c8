package main_test

import (
	"crypto/x509"
	"encoding/pem"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// programs returns the newest Postgres of this machine.
func programs(t *testing.T) string {
	t.Helper()
	if found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_basebackup"); err == nil && len(found) > 0 {
		return filepath.Dir(found[len(found)-1])
	}
	path, err := exec.LookPath("pg_basebackup")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(path)
}

// givenPorts are those that [freePort] has returned.
var givenPorts sync.Map

// freePort returns a port that nothing listens on, once in a process. It is below those that
// Linux gives to outgoing connections, one of which could take it before it is used.
func freePort(t *testing.T) int {
	t.Helper()
	const first, count = 20_000, 12_000
	for range 100 {
		port := first + rand.IntN(count)
		if _, given := givenPorts.LoadOrStore(port, true); given {
			continue
		}
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue // taken
		}
		listener.Close()
		return port
	}
	t.Fatal("no port is free")
	return 0
}

func userOf(t *testing.T, name string) *syscall.Credential {
	t.Helper()
	found, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.Atoi(found.Uid)
	gid, _ := strconv.Atoi(found.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func abs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// pemOf is the certificate of a test server, and its key.
func pemOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	certificate := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))
}
