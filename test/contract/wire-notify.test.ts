import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe } from 'vitest'
import { openWire } from '../../src/cluster/wire/wire.ts'
import { lacks } from '../support/needs.ts'
import { freePort, startAgain, startServer, stopServer } from '../support/postgres/server.ts'
import { temporaryDir } from '../support/storage.ts'
import { wireExam } from './wire-exam.ts'

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
    const withPassword = Object.assign(new URL(url), { password: SECRET }).toString()
    return {
      open: (log) => openWire({ bus: undefined, storageUrl: withPassword, log }),
      kill: () => stopServer(dir),
      startAgain: () => startAgain(dir, port),
      async intrude(subject) {
        await notify(url, 'another_channel', [`${subject} x`])
        await notify(url, 'sshawl_hints', [
          '',
          ' ',
          'x',
          subject,
          `${subject} `,
          `${subject} 1 `,
          `${subject}  x`,
          `${subject} 1 é\u0001`,
          `${subject} 1 ${Buffer.alloc(5_000, 'text').toString('base64')}`,
          `${subject} 1 ====`,
          '__proto__ x',
          'x'.repeat(7999),
        ])
      },
      password: SECRET,
      async [Symbol.asyncDispose]() {
        await stopServer(dir)
        parent[Symbol.dispose]()
      },
    }
  })
})
