import { randomInt } from 'node:crypto'
import { defineConfig } from 'vitest/config'
import { forWorkers } from './support/node-flags.ts'
import { MixedSequencer } from './support/mixed-sequencer.ts'
import { SummaryReporter } from './support/summary-reporter.ts'

// Vitest reads this file once more for its projects: the seed is kept in the environment, so that both have the same one.
process.env['TEST_SEED'] ??= String(randomInt(2 ** 31))
const seed = Number(process.env['TEST_SEED'])
/** `npm run attacks` takes the long form of those tests that have one. */
const attacks = process.env['ATTACKS'] === 'long' ? 'long' : 'quick'

/** They keep the processor busy, and in their long form measure how long others wait (`npm run attacks`). */
const ATTACKS = ['test/e2e/attack-*.test.ts', 'test/e2e/fuzz.test.ts']

/** They pack, install and compile (`npm run test:package`). */
const PACKAGE = ['test/e2e/package.test.ts']

/** What `npm test` leaves to CI: each waits long, or starts many processes (`npm run test:slow`). */
const SLOW = [
  // Several servers on one PostgreSQL, and NATS beside them: each file waits until one server is taken for
  // dead.
  'test/e2e/servers-*.test.ts',
  // The machine: its disks, its sandbox, a browser, a database that is cut off.
  'test/e2e/{pages,postgres-trouble,sandbox,storage-trouble}.test.ts',
  'test/unit/sandbox/sandbox.test.ts',
  // Processes that run scripts or read pages, MCP servers, the built server: half a second of a processor a
  // start.
  'test/contract/composer*.test.ts',
  'test/contract/workspace-*.test.ts',
  'test/contract/lua-engine-memory.test.ts',
  'test/e2e/{admin-tools,audit,drain,mcp-servers,memory,postgres,proxied,reload,shared-rooms,start,tool-modules,webhooks}.test.ts',
  'test/unit/wrap/lua/{count-batches,hostile-scripts,packages,pool}.test.ts',
  'test/unit/web/page-reader.test.ts',
  // What only a server that stores in PostgreSQL runs.
  'test/contract/storage-postgres-*.test.ts',
  'test/contract/wire-notify.test.ts',
  'test/unit/storage/postgres/**/*.test.ts',
]

const EVERYDAY = ['test/{unit,contract,e2e,docs}/**/*.test.ts']

/**
 * End-to-end tests once more with servers that store in PostgreSQL (support/stored.ts): those that a database
 * can change.
 * The contract of the stores runs on both engines.
 */
const STORED = ['test/e2e/{drain,followed-rooms,moderation-bans,reading}.test.ts']

/** The others of which a database can change anything, for the night (`npm run test:full`). */
const STORED_AT_NIGHT = [
  'test/e2e/{agents,agents-*,approvals,audit,coming-in,exactness,file-transfer,http,limits,memory,metrics}.test.ts',
  'test/e2e/{moderation-rooms,newcomer,people,room-models,rooms,scope,start,storage-trouble}.test.ts',
  'test/e2e/{stored-requests,talk,who-may-allow,world}.test.ts',
]
const onPostgres = process.env['ON_POSTGRES'] === 'all' ? [...STORED, ...STORED_AT_NIGHT] : STORED

const project = (name: string, options: object) => ({
  extends: true as const,
  test: { name, sequence: { groupOrder: 0 }, ...options },
})

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: ['test/support/files-in-memory.ts', 'test/support/build.ts', 'test/support/postgres/run.ts'],
    setupFiles: ['test/support/property-seed.ts', 'test/support/postgres/drop.ts'],
    provide: { seed, attacks },
    reporters: ['default', new SummaryReporter(seed)],
    // The long form of properties takes minutes (support/any-tools.ts).
    testTimeout: process.env['LONG_RUNS'] ? 1_800_000 : 60_000,
    hookTimeout: 60_000,
    // Vitest's own second is short on a machine that does other things; what is waited for ends the wait.
    expect: { poll: { timeout: 20_000 } },
    // Nothing of ours keeps state in a module, so that files can share them; it saves a third of the time.
    isolate: false,
    execArgv: [...forWorkers],
    // What was not changed since the last run is not compiled again: that takes a fifth of the time of a short run.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: MixedSequencer },
    maxWorkers: 5,
    projects: [
      // `npm test`.
      project('tests', { include: EVERYDAY, exclude: [...SLOW, ...ATTACKS, ...PACKAGE] }),
      project('slow', { include: SLOW }),
      // Both in one, as CI runs them: a worker can't change its project, and what waits runs beside what
      // computes.
      project('all', { include: EVERYDAY, exclude: [...ATTACKS, ...PACKAGE] }),
      project('postgres', { include: onPostgres, env: { TEST_STORAGE: 'postgres' } }),
      project('attacks', { include: ATTACKS, maxWorkers: 1, sequence: { groupOrder: 1 } }),
      project('package', { include: PACKAGE, maxWorkers: 1, sequence: { groupOrder: 2 } }),
    ],
  },
})
