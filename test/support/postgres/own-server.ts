import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { Client } from 'pg'
import { errorCode } from '../../../src/base/errors.ts'
import { sendTo } from './send-to.ts'
import { freePort, giveToPostgres, startAgain, startServer, stopServer } from './server.ts'

/** A PostgreSQL server that a test file has alone, so that it may stop it, with an empty database `rooms`. */
export type OwnServer = Awaited<ReturnType<typeof openOwnServer>>

/** The role of our servers, which needs a password. */
const ROLE = 'sshawl'
const PASSWORD = 'tops3cret'

/** Starts one. `disk` is a directory, in which the database is then, and nothing else of the server. */
export async function openOwnServer({ disk }: { readonly disk?: string } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-postgres-'))
  await chmod(dir, 0o755)
  const port = await freePort()
  const superuser = await startServer(dir, port)
  const rooms = superuser.replace(/postgres$/, 'rooms')
  if (disk !== undefined) await giveToPostgres(disk)
  await demandPassword(join(dir, 'data', 'pg_hba.conf'))
  for (const statement of [
    `CREATE ROLE ${ROLE} LOGIN PASSWORD '${PASSWORD}'`,
    ...(disk === undefined ? [] : [`CREATE TABLESPACE disk LOCATION '${disk}'`]),
    `CREATE DATABASE rooms OWNER ${ROLE} ${disk === undefined ? '' : 'TABLESPACE disk'}`,
    'SELECT pg_reload_conf()',
  ])
    await sendTo(superuser, statement)
  let isUp = true
  return {
    /** Of `rooms`, as the role that owns it. */
    url: Object.assign(new URL(rooms), { username: ROLE, password: PASSWORD }).toString(),
    /** Sends statements to `rooms` as the superuser, who can always come in. */
    send: (text: string): Promise<readonly Record<string, unknown>[]> => sendTo(rooms, text),
    /** Sends a statement in a transaction that lasts until it is disposed of. */
    async hold(statement: string): Promise<AsyncDisposable> {
      const client = new Client({ connectionString: rooms })
      await client.connect()
      await client.query(`BEGIN; ${statement}`)
      return { [Symbol.asyncDispose]: () => client.end() }
    },
    /** Ends the connections of our servers, whatever they are doing. */
    async cutOff() {
      await sendTo(rooms, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${ROLE}'`)
    },
    async stop(mode: 'fast' | 'immediate') {
      await stopServer(dir, mode)
      isUp = false
    },
    async start() {
      await startAgain(dir, port)
      isUp = true
    },
    /** To all of its processes: they can be stopped, and go on. */
    signal: (signal: 'SIGSTOP' | 'SIGCONT') => signalAll(join(dir, 'data'), signal),
    async [Symbol.asyncDispose]() {
      if (isUp) await stopServer(dir)
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** The superuser needs none. */
async function demandPassword(file: string): Promise<void> {
  await writeFile(file, `host all ${ROLE} all scram-sha-256\n${await readFile(file, 'utf8')}`)
}

async function signalAll(data: string, signal: NodeJS.Signals): Promise<void> {
  const [first = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')
  const { stdout } = await execa('ps', ['-o', 'pid=', '--ppid', first])
  process.kill(Number(first), signal)
  for (const pid of stdout.split('\n').filter((line) => line.trim() !== '')) {
    try {
      process.kill(Number(pid), signal)
    } catch (error) {
      // A process for one connection ends with that.
      if (errorCode(error) !== 'ESRCH') throw error
    }
  }
}
