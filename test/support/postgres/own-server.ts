import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { Client } from 'pg'
import { errorCode } from '../../../src/lib/errors.ts'
import { freePort, giveToPostgres, startAgain, startServer, stopServer } from './server.ts'

/** A PostgreSQL server that a test file has alone, so that it may stop it, with an empty database `rooms`. */
export interface OwnServer extends AsyncDisposable {
  /** Of `rooms`, as the role that owns it. */
  readonly url: string
  /** Sends statements to `rooms` as the superuser, who can always come in. */
  send(text: string): Promise<readonly Record<string, unknown>[]>
  /** Sends a statement in a transaction that lasts until it is disposed of. */
  hold(statement: string): Promise<AsyncDisposable>
  /** Ends the connections of our servers, whatever they are doing. */
  cutOff(): Promise<void>
  stop(mode: 'fast' | 'immediate'): Promise<void>
  start(): Promise<void>
  /** To all of its processes: they can be stopped, and go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>
}

/** The role of our servers, which needs a password. */
const ROLE = 'sshawl'
const PASSWORD = 'tops3cret'

/** Starts one. `disk` is a directory, in which the database is then, and nothing else of the server. */
export async function openOwnServer({ disk }: { readonly disk?: string } = {}): Promise<OwnServer> {
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
    url: Object.assign(new URL(rooms), { username: ROLE, password: PASSWORD }).toString(),
    send: (text) => sendTo(rooms, text),
    async hold(statement) {
      const client = new Client({ connectionString: rooms })
      await client.connect()
      await client.query(`BEGIN; ${statement}`)
      return { [Symbol.asyncDispose]: () => client.end() }
    },
    async cutOff() {
      await sendTo(rooms, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${ROLE}'`)
    },
    async stop(mode) {
      await stopServer(dir, mode)
      isUp = false
    },
    async start() {
      await startAgain(dir, port)
      isUp = true
    },
    signal: (signal) => signalAll(join(dir, 'data'), signal),
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

async function sendTo(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
