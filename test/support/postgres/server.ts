import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { chown, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { postgresPrograms } from '../needs.ts'

/** What a server of tests need not do: no power is cut. What was committed survives the end of its processes. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
}

/** The user that it runs as where the tests are root's: it refuses to be root. */
const NOBODY = 65_534

const isRoot = process.getuid?.() === 0

/** The URL of a server's database `postgres`, in a directory that all processes of a test run share. */
export const urlOfServer = (dir: string): Promise<string> =>
  madeOnce(dir, 'url', async () => await startServer(dir, await freePort()))

/**
 * What the first of all processes that want it makes in their directory; the others wait until it has. Where that fails, it fails
 * for all of them.
 */
export async function madeOnce(dir: string, name: string, make: () => Promise<string>): Promise<string> {
  const outcomeFile = join(dir, name)
  if (await isFirst(`${outcomeFile}.begun`)) {
    const outcome: Outcome = await make().then(
      (made) => ({ made }),
      (error: unknown) => ({ trouble: String(error) }),
    )
    await writeFile(`${outcomeFile}.new`, JSON.stringify(outcome))
    await rename(`${outcomeFile}.new`, outcomeFile)
  }
  await appearanceOf(outcomeFile, dir)
  const outcome = JSON.parse(await readFile(outcomeFile, 'utf8')) as Outcome
  if ('trouble' in outcome) throw new Error(`${name} of the tests' PostgreSQL: ${outcome.trouble}`)
  return outcome.made
}

type Outcome = { readonly made: string } | { readonly trouble: string }

/** Makes a server in a directory, and starts it. Gives the URL of its database `postgres`. */
export async function startServer(dir: string, port: number): Promise<string> {
  const data = join(dir, 'data')
  await mkdir(data)
  await giveToPostgres(data)
  await run('initdb', [
    '-D',
    data,
    '-A',
    'trust',
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ])
  await startAgain(dir, port)
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

/** Lets the server write there, whoever it runs as. */
export async function giveToPostgres(dir: string): Promise<void> {
  if (isRoot) await chown(dir, NOBODY, NOBODY)
}

/** Starts a server that was stopped. */
export async function startAgain(dir: string, port: number): Promise<void> {
  const settings = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`)
  const options = [...settings, `-k ${join(dir, 'data')}`, '-h 127.0.0.1', `-p ${port}`]
  const data = join(dir, 'data')
  await run('pg_ctl', ['start', '-w', '-s', '-D', data, '-l', join(data, 'log'), '-o', options.join(' ')])
}

/** Stops it; whoever is connected is cut off. `immediate`: as a crash, after which it looks through its log at its start. */
export async function stopServer(dir: string, mode: 'fast' | 'immediate' = 'immediate'): Promise<void> {
  await run('pg_ctl', ['stop', '-w', '-s', '-m', mode, '-D', join(dir, 'data')])
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const file = join(postgresPrograms() ?? '', program)
  const [command = file, ...first] = isRoot ? ['runuser', '-u', 'nobody', '--', file] : [file]
  // What is started keeps no pipe of ours open.
  await execa(command, [...first, ...args], { stdio: 'ignore', cwd: '/' })
}

async function isFirst(dir: string): Promise<boolean> {
  try {
    await mkdir(dir)
    return true
  } catch {
    return false
  }
}

async function appearanceOf(file: string, dir: string): Promise<void> {
  const changes = watch(dir)
  try {
    while (!existsSync(file)) await once(changes, 'change')
  } finally {
    changes.close()
  }
}
