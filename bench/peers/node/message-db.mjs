// Message DB is functions in the database. What calls them here does as its user guide
// and its authors' own client say: a category of streams, consumers that poll it and
// note their position every hundred messages. Statements are prepared.

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { batch, connections, data, metadata, poll, type } from './event.mjs'

export const library = '@eventide/message-db'

const install = async (url) => {
  const { pathname, username, searchParams } = new URL(url)
  const env = {
    ...process.env, PGHOST: searchParams.get('host'), PGPORT: searchParams.get('port'), PGUSER: username,
    DATABASE_NAME: pathname.slice(1), CREATE_DATABASE: 'off',
  }
  await promisify(execFile)('bash', ['node_modules/@eventide/message-db/database/install.sh'], { env })
}

export const open = async (url) => {
  await install(url)
  const pool = new pg.Pool({
    connectionString: url, max: connections, idleTimeoutMillis: 0, options: '-c search_path=message_store,public',
  })
  const call = async (name, text, values) => (await pool.query({ name, text, values })).rows

  const write = (stream, expected, type, data, metadata) => call('write',
    'SELECT write_message($1, $2, $3, $4, $5, $6)', [randomUUID(), stream, type, data, metadata, expected])
  const appendIn = (category, key) => write(`${category}-${key}`, -1, type, data(key), metadata)
  const append = (key) => appendIn('record', key)
  const update = (key, version) => write(`record-${key}`, version - 1, type, data(key), metadata)

  const decide = async (key) => {
    const history = await call('stream', 'SELECT * FROM get_stream_messages($1)', [`record-${key}`])
    const events = history.map((message) => JSON.parse(message.data))
    await update(key, events.length)
  }

  const page = async (from) => call('category', 'SELECT * FROM get_category_messages($1, $2, $3)', ['record', from, batch])
  const positions = (name) => `record:position-${name}`

  const position = async (name) => {
    const [last] = await call('last', 'SELECT data FROM get_last_stream_message($1)', [positions(name)])
    return last ? JSON.parse(last.data).position : 0
  }

  const follow = (name, handle, fail) => {
    let running = true
    const consume = async () => {
      let reached = await position(name)
      let unnoted = 0
      while (running) {
        const messages = await page(reached + 1)
        for (const message of messages) {
          handle(JSON.parse(message.data).patient, JSON.parse(message.metadata))
          reached = Number(message.global_position)
          if (++unnoted < 100) continue
          await write(positions(name), null, 'Recorded', { position: reached }, null)
          unnoted = 0
        }
        if (messages.length === 0) await sleep(poll)
      }
    }
    const consumed = consume().catch(fail)
    return () => ((running = false), consumed)
  }

  const replay = async () => {
    let events = 0
    for (let from = 1; ;) {
      const messages = await page(from)
      if (messages.length === 0) return events
      for (const message of messages) JSON.parse(message.data), JSON.parse(message.metadata), events++
      from = Number(messages.at(-1).global_position) + 1
    }
  }

  const fill = async (events) => {
    for (let n = 0; n < events; n += batch) {
      const keys = Array.from({ length: batch }, () => randomUUID())
      await pool.query(`SELECT write_message(gen_random_uuid()::text, 'record-' || key, $2, jsonb_build_object('patient', key, 'note', $3::text), $4, -1)
        FROM unnest($1::text[]) key`, [keys, type, data('').note, metadata])
    }
  }

  return { fill, append, appendIn, update, decide, follow, replay, close: () => pool.end() }
}
