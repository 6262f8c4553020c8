package webhooks

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func ZZClaim(ctx context.Context, pool *pgxpool.Pool, now time.Time) (int, error) {
	var batch pgx.Batch
	batch.Queue(withoutJIT)
	n := 0
	batch.Queue(claimBatch, now, 4, []uuid.UUID{}, []int32{}, 256, uuid.New(), now.Add(20*time.Second)).Query(func(rows pgx.Rows) error {
	for rows.Next() {
		n++
	}
	return rows.Err()
	})
	return n, pool.SendBatch(ctx, &batch).Close()
}

func ZZExplain(ctx context.Context, pool *pgxpool.Pool, now time.Time) (lines []string) {
	conn, _ := pool.Acquire(ctx)
	defer conn.Release()
	_, _ = conn.Exec(ctx, "SET jit = off")
	rows, err := conn.Query(ctx, "EXPLAIN (ANALYZE, BUFFERS) "+claimBatch, now, 4, []uuid.UUID{}, []int32{}, 256, uuid.New(), now.Add(20*time.Second))
	if err != nil {
		return []string{err.Error()}
	}
	defer rows.Close()
	for rows.Next() {
		var l string
		_ = rows.Scan(&l)
		lines = append(lines, l)
	}
	return lines
}
