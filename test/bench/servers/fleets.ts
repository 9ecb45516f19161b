import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cleanup } from '../../support/load/cleanup.ts'
import { cpuMs, cpuMsOfAll, residentKiB } from '../../support/load/process-figures.ts'
import { raisedLimits } from '../../support/load/raised-limits.ts'
import { startNats } from '../../support/nats.ts'
import { freePort, startServer as startPostgres, stopServer } from '../../support/postgres/server.ts'
import { startServer } from '../../support/server.ts'
import { DEPLOYED } from '../fan-out/contenders.ts'

/** What carries the lines from one server to the others; with SQLite there is one server. */
export type Engine = 'SQLite' | 'LISTEN/NOTIFY' | 'NATS'

/** Starts servers with the same rooms, and what they need. As in docs/deploy/sshawl.service. */
export async function startFleet(engine: Engine, count: number, cleanup: Cleanup) {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-fleet-'))
  const removal = { [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
  await cleanup.add(Promise.resolve(removal))
  await chmod(dir, 0o755)
  const database = engine === 'SQLite' ? undefined : await cleanup.add(databaseIn(dir))
  const nats = engine === 'NATS' ? await cleanup.add(startNats()) : undefined
  const config = [
    raisedLimits({ presence_per_min: 60 }),
    ...(database ? [`[storage]\nurl = "${database.url}"`] : []),
    ...(nats ? [`[bus]\nurl = "${nats.url}"`] : []),
  ].join('\n')
  const servers = []
  for (let at = 0; at < count; at++) {
    const dataDir = join(dir, `server${at}`)
    await mkdir(dataDir)
    servers.push(await cleanup.add(startServer({ dataDir, config, nodeFlags: DEPLOYED })))
  }
  const pids = servers.map(({ process }) => process.pid ?? 0)
  return {
    name: `${engine}, ${count === 1 ? 'one server' : `${count} servers`}`,
    ports: servers.map(({ port }) => port),
    /** Processor time so far, in milliseconds; 0 for an engine that is not there. */
    used: async () => ({
      servers: sum(await Promise.all(pids.map(cpuMs))),
      postgres: database ? await cpuMsOfAll(database.pid) : 0,
      nats: nats ? await cpuMs(nats.pid) : 0,
    }),
    /** Of all servers together, in KiB. */
    residentKiB: async () => sum(await Promise.all(pids.map(residentKiB))),
  }
}

async function databaseIn(dir: string) {
  const url = await startPostgres(dir, await freePort())
  // Its process is the parent of all others.
  const [pid] = (await readFile(join(dir, 'data', 'postmaster.pid'), 'utf8')).split('\n')
  return { url, pid: Number(pid), [Symbol.asyncDispose]: () => stopServer(dir) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
