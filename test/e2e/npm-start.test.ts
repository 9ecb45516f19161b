import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openStorage } from '../../src/adapters/storage/open.ts'
import { sqliteOptions, temporaryDir } from '../support/storage.ts'

/** It checks all types where nothing was built before, beside other tests. */
const BUILD_MS = 240_000

test.each([
  ['SIGTERM', []],
  // What was built for the first need not be built again.
  ['SIGINT', ['--ignore-scripts']],
] as const)(
  'npm start hands %s on, so that nothing is left behind',
  async (signal, flags) => {
    using dir = temporaryDir()
    const npm = spawn(
      'npm',
      ['start', ...flags, '--', '--listen', '127.0.0.1:0', '--data', join(dir.path, 'data')],
      {
        cwd: new URL('../..', import.meta.url).pathname,
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    )
    const ended = once(npm, 'close')
    for await (const line of createInterface({ input: npm.stdout }))
      if (line.startsWith('sshawl listening')) break
    npm.kill(signal)
    expect((await ended)[0]).toBe(0)
    // The data is free again only once the server itself is gone; another's is refused.
    await using storage = await openStorage(sqliteOptions(join(dir.path, 'data')))
    expect(await storage.upkeep.health()).toBeUndefined()
  },
  BUILD_MS,
)
