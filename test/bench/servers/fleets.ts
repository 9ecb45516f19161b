import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuMs, cpuMsOfAll, residentKiB } from '../../support/load/process-figures.ts'
import { raisedLimits } from '../../support/load/raised-limits.ts'
import { startNats } from '../../support/nats.ts'
import { freePort, startServer as startPostgres, stopServer } from '../../support/postgres/server.ts'
import { startServer, type Server } from '../../support/server.ts'

/** What carries the lines from one server to the others; with SQLite there is one server. */
export type Engine = 'SQLite' | 'LISTEN/NOTIFY' | 'NATS'

/** Servers with the same rooms, and what they need. */
export interface Fleet extends AsyncDisposable {
  readonly name: string
  readonly ports: readonly number[]
  used(): Promise<Used>
  /** Of all servers together, in KiB. */
  residentKiB(): Promise<number>
}

/** Processor time so far, in milliseconds. */
export interface Used {
  readonly servers: number
  /** 0 where there is none, as for `nats`. */
  readonly postgres: number
  readonly nats: number
}

/** Starts one in a directory of its own, which goes with it. As in docs/deploy/sshawl.service. */
export async function startFleet(engine: Engine, count: number): Promise<Fleet> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-fleet-'))
  const ends: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })]
  const end = async (): Promise<void> => {
    for (const one of ends.splice(0).toReversed()) await one()
  }
  try {
    await chmod(dir, 0o755)
    const database = engine === 'SQLite' ? undefined : await startPostgres(dir, await freePort())
    if (database !== undefined) ends.push(() => stopServer(dir))
    const nats = engine === 'NATS' ? await startNats() : undefined
    ends.push(async () => await nats?.kill())
    const servers: Server[] = []
    for (let at = 0; at < count; at++) {
      const dataDir = join(dir, `server${at}`)
      await mkdir(dataDir)
      const config = configFor(database, nats?.url)
      const server = await startServer({
        dataDir,
        config,
        env: { NODE_OPTIONS: '--max-semi-space-size=4' },
        nodeFlags: [],
      })
      servers.push(server)
      ends.push(async () => await server[Symbol.asyncDispose]())
    }
    const pids = servers.map(({ process }) => process.pid ?? 0)
    const postgres = database === undefined ? undefined : await postmaster(dir)
    return {
      name: `${engine}, ${count === 1 ? 'one server' : `${count} servers`}`,
      ports: servers.map(({ port }) => port),
      async used() {
        return {
          servers: sum(await Promise.all(pids.map(cpuMs))),
          postgres: postgres === undefined ? 0 : await cpuMsOfAll(postgres),
          nats: nats ? await cpuMs(nats.pid) : 0,
        }
      },
      residentKiB: async () => sum(await Promise.all(pids.map(residentKiB))),
      [Symbol.asyncDispose]: end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

const configFor = (database: string | undefined, nats: string | undefined): string =>
  [
    raisedLimits({ presence_per_min: 60 }),
    ...(database === undefined ? [] : [`[storage]\nurl = "${database}"`]),
    ...(nats === undefined ? [] : [`[bus]\nurl = "${nats}"`]),
  ].join('\n')

/** Its process is the parent of all others. */
const postmaster = async (dir: string): Promise<number> =>
  Number((await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
