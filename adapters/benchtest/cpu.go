package benchtest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// OwnCPU is the CPU time of this process.
func OwnCPU() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// CPU is the CPU time of this process and a Postgres together.
func CPU(data string) time.Duration { return OwnCPU() + ClusterCPU(data) }

// tick is the unit of /proc, which is the same on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// ClusterOf returns the data directory of the Postgres that a superuser's pool is
// connected to, for [Comparison].
func ClusterOf(b *testing.B, superuser *pgxpool.Pool) (data string) {
	b.Helper()
	if err := superuser.QueryRow(b.Context(), `SHOW data_directory`).Scan(&data); err != nil {
		b.Fatal(err)
	}
	if target, err := filepath.EvalSymlinks(data); err == nil {
		data = target
	}
	return data
}

// ClusterCPU is the CPU time of all processes of a Postgres, including ended ones. Each
// of them works in the data directory. It is 0 without /proc.
func ClusterCPU(data string) (used time.Duration) {
	for _, process := range ClusterProcesses(data) {
		used += cpuOf(process)
	}
	return used
}

// ClusterProcesses returns the processes of a Postgres as paths below /proc. There are
// none without /proc, or for "".
func ClusterProcesses(data string) (found []string) {
	if data == "" {
		return nil
	}
	places, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, place := range places {
		if at, err := os.Readlink(place); err == nil && at == data {
			found = append(found, filepath.Dir(place))
		}
	}
	return found
}

// ProcessCPU is the CPU time of another process, and of its ended children. It is 0
// without /proc.
func ProcessCPU(pid int) time.Duration { return cpuOf("/proc/" + strconv.Itoa(pid)) }

// cpuOf reads utime, stime, cutime and cstime out of a process's stat, where they are
// the 14th field and the next three. The 2nd is a name in brackets.
func cpuOf(process string) (used time.Duration) {
	stat, err := os.ReadFile(filepath.Join(process, "stat"))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if len(fields) < 15 {
		return 0
	}
	for _, field := range fields[11:15] {
		ticks, _ := strconv.Atoi(field)
		used += time.Duration(ticks) * tick
	}
	return used
}
