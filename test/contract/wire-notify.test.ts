import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe } from 'vitest'
import { openWire } from '../../src/adapters/wire/open.ts'
import { newBusSecret } from '../support/bus-secret.ts'
import { lacks } from '../support/needs.ts'
import { freePort, startAgain, startServer, stopServer } from '../support/postgres/server.ts'
import { temporaryDir } from '../support/storage.ts'
import { FLOODED_MS, wireExam } from './wire-exam.ts'

const SECRET = 'tops3cret'

async function notify(url: string, channel: string, payloads: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const payload of payloads) await client.query('SELECT pg_notify($1, $2)', [channel, payload])
  await client.end()
}

describe.skipIf(lacks('postgres'))('servers with PostgreSQL alone', () => {
  wireExam("PostgreSQL's notifications", async () => {
    // Not the server of the run, because others use that.
    const parent = temporaryDir()
    chmodSync(parent.path, 0o755)
    const dir = join(parent.path, 'server')
    mkdirSync(dir)
    const port = await freePort()
    const url = await startServer(dir, port)
    const secret = newBusSecret()
    const withPassword = Object.assign(new URL(url), { password: SECRET }).toString()
    return {
      open: (log, other) =>
        openWire({
          bus: undefined,
          storageUrl: withPassword,
          secret: other ?? secret,
          log,
          floodedMs: FLOODED_MS,
        }),
      kill: () => stopServer(dir),
      startAgain: () => startAgain(dir, port),
      async intrude(subject) {
        await notify(url, 'sshawl', [`1 ${subject} not sealed`])
        await notify(url, 'sshawl_sealed', [
          '',
          ' ',
          'x',
          subject,
          `${subject} `,
          `${subject}  x`,
          `${subject} é\u0001`,
          `${subject} ${Buffer.alloc(5_000, 'text').toString('base64')}`,
          `${subject} ====`,
          '__proto__ x',
          'x'.repeat(7999),
        ])
      },
      async flood(subject, count) {
        const client = new Client({ connectionString: url })
        await client.connect()
        const payloads = Array.from(
          { length: count },
          () => `${subject} ${randomBytes(200).toString('base64')}`,
        )
        await client.query("SELECT pg_notify('sshawl_sealed', payload) FROM unnest($1::text[]) AS payload", [
          payloads,
        ])
        await client.end()
      },
      password: SECRET,
      async [Symbol.asyncDispose]() {
        await stopServer(dir)
        parent[Symbol.dispose]()
      },
    }
  })
})
