import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { openStorage } from '../../src/adapters/storage/open.ts'
import { sqliteOptions, temporaryDir } from '../support/storage.ts'

test.each(['SIGTERM', 'SIGINT'] as const)(
  'npm start hands %s on, so that nothing is left behind',
  async (signal) => {
    using dir = temporaryDir()
    const npm = spawn('npm', ['start', '--', '--listen', '127.0.0.1:0', '--data', join(dir.path, 'data')], {
      cwd: new URL('../..', import.meta.url).pathname,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(npm, 'close')
    for await (const line of createInterface({ input: npm.stdout }))
      if (line.startsWith('sshawl listening')) break
    npm.kill(signal)
    expect((await ended)[0]).toBe(0)
    // The data is free again only once the server itself is gone; another's is refused.
    await using storage = await openStorage(sqliteOptions(join(dir.path, 'data')))
    expect(await storage.upkeep.health()).toBeUndefined()
  },
)
