package main_test

import (
	"net"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
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

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := strings.Cut(listener.Addr().String(), ":")
	n, _ := strconv.Atoi(port)
	return n
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
