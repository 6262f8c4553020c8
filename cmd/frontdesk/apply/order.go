package apply

import (
	"context"
	"sync"
)

// atOnce is how many documents are carried out at the same time: enough that their appends
// share transactions (D60), and more than there are connections would only wait.
const atOnce = 16

// inOrder processes all items, several at a time, and has the results consumed in the order
// of the items. The first error ends it, once all workers have stopped.
func inOrder[T, R any](ctx context.Context, items []T, do func(context.Context, T) R, consume func(T, R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	results := make(chan chan R, atOnce)
	workers.Go(func() {
		defer close(results)
		for _, item := range items {
			result := make(chan R, 1)
			select {
			case results <- result:
			case <-ctx.Done():
				return
			}
			workers.Go(func() { result <- do(ctx, item) })
		}
	})
	n := 0
	for result := range results {
		if err := consume(items[n], <-result); err != nil {
			return err
		}
		n++
	}
	return ctx.Err()
}
