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

/** `npm run test:postgres` runs the end-to-end tests, whose servers store in PostgreSQL then (support/stored.ts). */
const onPostgres = process.env['TEST_STORAGE'] === 'postgres'
const folders = onPostgres ? 'e2e' : '{unit,contract,e2e,docs}'

/** They measure how long others wait, or keep the processor busy: they run one after the other (`npm run attacks`). */
const ATTACKS = ['test/e2e/attack-*.test.ts', 'test/e2e/fuzz.test.ts']

/**
 * Several servers on one PostgreSQL, and NATS beside them. Each file starts several, and waits until one is taken for dead
 * (`npm run test:servers`).
 */
const SERVERS = ['test/e2e/servers-*.test.ts']

/** They pack, install and compile (`npm run test:package`). */
const PACKAGE = ['test/e2e/package.test.ts']

/** About the machine: its disks, its sandbox, a browser, a database that is cut off. Each takes long by itself (`npm run test:machine`). */
const MACHINE = [
  'test/e2e/pages.test.ts',
  'test/e2e/postgres-trouble.test.ts',
  'test/e2e/sandbox.test.ts',
  'test/e2e/storage-trouble.test.ts',
  'test/unit/adapters/sandbox/sandbox.test.ts',
  'test/unit/adapters/storage/postgres/trouble.test.ts',
]

/** Each starts the built server, or processes that run scripts or read pages, many times: half a second of a processor a start (`npm run test:processes`). */
const PROCESSES = [
  'test/contract/composer*.test.ts',
  'test/contract/lua-engine-memory.test.ts',
  'test/e2e/admin-tools.test.ts',
  'test/e2e/audit.test.ts',
  'test/e2e/drain.test.ts',
  'test/e2e/postgres.test.ts',
  'test/e2e/proxied.test.ts',
  'test/e2e/reload.test.ts',
  'test/e2e/shared-rooms.test.ts',
  'test/e2e/start.test.ts',
  'test/e2e/tool-modules.test.ts',
  'test/unit/adapters/lua/{count-batches,hostile-scripts,packages,pool}.test.ts',
  'test/unit/adapters/web/page-reader.test.ts',
]

/** What only a server that stores in PostgreSQL runs, as the end-to-end tests with such servers (`npm run test:postgres`). */
const POSTGRES = [
  'test/contract/storage-postgres-*.test.ts',
  'test/contract/wire-notify.test.ts',
  'test/unit/adapters/storage/postgres/**/*.test.ts',
]

/** End-to-end tests of what no database changes: both have the same stores, so these run with SQLite only. */
const WITHOUT_POSTGRES = [
  'test/e2e/{admin-tools,certificates,config,mcp-*,model,pages,proxied,reload,run-tool,sandbox}.test.ts',
  'test/e2e/{ssh-*,streaming-reply,tool-modules,tools-offered,web,webhooks,wrap}.test.ts',
]
const exclude = onPostgres ? WITHOUT_POSTGRES : []

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    globalSetup: ['test/support/files-in-memory.ts', 'test/support/build.ts', 'test/support/postgres/run.ts'],
    setupFiles: ['test/support/property-seed.ts', 'test/support/postgres/drop.ts'],
    provide: { seed, attacks },
    reporters: ['default', new SummaryReporter(seed)],
    // The long form of properties takes minutes (support/any-tools.ts).
    testTimeout: process.env['LONG_RUNS'] ? 1_800_000 : 60_000,
    hookTimeout: 30_000,
    // Vitest's own second is short on a machine that does other things; what is waited for ends the wait.
    expect: { poll: { timeout: 20_000 } },
    // Nothing of ours keeps state in a module, so that files can share them; it saves a third of the time.
    isolate: false,
    execArgv: [...forWorkers],
    // What was not changed since the last run is not compiled again: that takes a fifth of the time of a short run.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: MixedSequencer },
    projects: [
      {
        extends: true,
        test: {
          // What `npm test` runs. CI runs all seven projects, and end-to-end tests of three on PostgreSQL too.
          name: 'tests',
          include: [`test/${folders}/**/*.test.ts`],
          exclude: [...ATTACKS, ...SERVERS, ...PACKAGE, ...MACHINE, ...POSTGRES, ...PROCESSES, ...exclude],
          maxWorkers: 5,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'machine',
          include: MACHINE.filter((file) => !onPostgres || file.startsWith('test/e2e/')),
          exclude,
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: PROCESSES.filter((file) => !onPostgres || file.startsWith('test/e2e/')),
          exclude,
          maxWorkers: 4,
          sequence: { groupOrder: 6 },
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: POSTGRES,
          exclude: MACHINE,
          maxWorkers: 4,
          sequence: { groupOrder: 5 },
        },
      },
      {
        extends: true,
        test: { name: 'attacks', include: ATTACKS, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'servers', include: SERVERS, maxWorkers: 4, sequence: { groupOrder: 3 } },
      },
      {
        extends: true,
        test: { name: 'package', include: PACKAGE, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
