//go:build prove

package postgres_test

import "testing"

func TestProveThatEachEventIsHandledOnceByProcessesThatComeAndGo(t *testing.T) {
	t.Parallel()
	comingAndGoing(t, 500, 200)
}
