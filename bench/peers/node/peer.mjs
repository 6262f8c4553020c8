// Carries out orders, one on each line of the input, as order_test.go does for what is
// written in Go: node peer.mjs <peer> <database URL>

import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

const [name, url] = process.argv.slice(2)
const { open, library } = await import(`./${name}.mjs`)
const store = await open(url)

// write lets each writer do something again and again for a while.
const write = async ({ writers, millis }, writer) => {
  const begun = performance.now()
  let done = 0
  await Promise.all(
    Array.from({ length: writers }, async (_, n) => {
      const act = writer(n)
      for (; performance.now() - begun < millis; done++) await act()
    }),
  )
  return { done, millis: performance.now() - begun }
}

// onStreams gives a writer a stream of its own, and a new one after ten events.
const onStreams = (act) => () => {
  let stream
  let turn = 0
  return () => {
    if (turn % 10 === 0) stream = randomUUID()
    return act(stream, turn++ % 10)
  }
}

// catchUp follows until a consumer has handled an event that is appended now.
const catchUp = async ({ name }) => {
  const last = randomUUID()
  const begun = performance.now()
  let done = 0
  let stop
  await new Promise((resolve, reject) => {
    stop = store.follow(name, (key) => {
      done++
      if (key === last) resolve()
    }, reject)
    store.append(last).catch(reject)
  })
  const millis = performance.now() - begun
  await stop()
  return { done, millis }
}

// lag appends at a pace and says how long after each append's return the event was
// handled. A consumer that was faster than the return took no time.
const lag = async ({ name, events, millis }) => {
  const keys = new Set(Array.from({ length: events }, () => randomUUID()))
  const handled = new Map()
  const appended = new Map()
  let stop
  const begun = performance.now()
  const all = new Promise((resolve, reject) => {
    stop = store.follow(name, (key) => {
      if (!keys.has(key)) return
      handled.set(key, performance.now())
      if (handled.size === events) resolve()
    }, reject)
  })
  let n = 0
  for (const key of keys) {
    await sleep(begun + n++ * millis - performance.now())
    await store.append(key)
    appended.set(key, performance.now())
  }
  await all
  const took = performance.now() - begun
  await stop()
  return { done: events, millis: took, lags: [...appended].map(([key, at]) => Math.max(0, handled.get(key) - at)) }
}

const replay = async () => {
  const begun = performance.now()
  const done = await store.replay()
  return { done, millis: performance.now() - begun }
}

const introduce = async () => {
  const { version } = JSON.parse(await readFile(`node_modules/${library}/package.json`))
  return { version, lacks: store.lacks ?? [] }
}

const orders = {
  introduce,
  fill: async ({ events }) => (await store.fill(events), {}),
  append: (o) => write(o, () => () => store.append(randomUUID())),
  spread: (o) => write(o, (n) => () => store.appendIn(`record${n}`, randomUUID())),
  update: (o) => write(o, onStreams(store.update)),
  decide: (o) => write(o, onStreams(store.decide)),
  catchUp,
  lag,
  replay,
}

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line)
  const answer = await orders[order.do](order).catch((error) => ({ error: `${error.stack ?? error}` }))
  process.stdout.write(JSON.stringify(answer) + '\n')
}
await store.close()
