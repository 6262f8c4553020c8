package app

import (
	"context"
	"runtime/pprof"
	"sync"
)

// task is background work that runs until its context ends.
type task struct {
	name string // profiles show it as the label "task"
	run  func(context.Context)
}

// during starts the stages one after another, serves, and stops them in reverse. A stage
// stops when all of its tasks have returned. The end of ctx stops none.
func during(ctx context.Context, stages [][]task, serve func() error) error {
	if len(stages) == 0 {
		return serve()
	}
	defer start(ctx, stages[0])()
	return during(ctx, stages[1:], serve)
}

// start starts tasks. The function that it returns ends their context and waits for them.
func start(ctx context.Context, tasks []task) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, t := range tasks {
		running.Go(func() { pprof.Do(ctx, pprof.Labels("task", t.name), t.run) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}
