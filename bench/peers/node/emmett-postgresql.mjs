// Emmett through its own event store, command handler and consumer.

import { randomUUID } from 'node:crypto'
import { dumbo } from '@event-driven-io/dumbo'
import { CommandHandler, STREAM_DOES_NOT_EXIST } from '@event-driven-io/emmett'
import { getPostgreSQLEventStore, readMessagesBatch } from '@event-driven-io/emmett-postgresql'
import pg from 'pg'
import { batch, connections, data, metadata, poll, type } from './event.mjs'

export const library = '@event-driven-io/emmett-postgresql'

export const open = async (url) => {
  const pool = new pg.Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0 })
  const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } })
  await store.schema.migrate()
  const reader = dumbo({ connectionString: url, pool })

  const noted = (key) => ({ type, data: data(key), metadata })
  const update = (key, version) => store.appendToStream(`record-${key}`, [noted(key)], {
    expectedStreamVersion: version === 0 ? STREAM_DOES_NOT_EXIST : BigInt(version),
  })
  const append = (key) => update(key, 0)

  const handle = CommandHandler({ evolve: (state) => state + 1, initialState: () => 0 })
  const decide = (key) => handle(store, `record-${key}`, () => noted(key))

  const follow = (name, handle, fail) => {
    const consumer = store.consumer({ pulling: { batchSize: batch, pullingFrequencyInMs: poll } })
    consumer.reactor({ processorId: name, eachMessage: (event) => handle(event.data.patient) })
    const consumed = consumer.start().catch(fail)
    return async () => {
      await consumer.close()
      await consumed
    }
  }

  const replay = async () => {
    let events = 0
    for (let after = 0n; ;) {
      const { messages, currentGlobalPosition } = await readMessagesBatch(reader.execute, { after, batchSize: batch })
      if (messages.length === 0) return events
      events += messages.length
      after = currentGlobalPosition
    }
  }

  // Streams of a hundred events: a new stream for each event would take long.
  const fill = async (events) => {
    for (let n = 0; n < events; n += 100) {
      await store.appendToStream(`record-${randomUUID()}`, Array.from({ length: 100 }, () => noted(randomUUID())))
    }
  }

  const close = async () => (await store.close(), await pool.end())
  return { lacks: ['spread'], fill, append, update, decide, follow, replay, close }
}
