import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lacks } from '../support/needs.ts'
import { aliceReads, operator } from '../support/operator.ts'
import { createDatabase } from '../support/postgres/databases.ts'
import { startServer } from '../support/server.ts'
import { createStage } from '../support/stage.ts'
import { onPostgres } from '../support/stored.ts'

const OPEN = '[server]\naccess = "open"\n'
const CONFIG = `${OPEN}[storage]\nurl_env = "DATABASE"\n`

test.skipIf(lacks('postgres'))(
  'PostgreSQL has what a file had, and gives it back, byte for byte',
  async ({ skip }) => {
    skip(onPostgres, 'it begins and ends with a file')
    await using database = await createDatabase()
    const { url } = database
    await using stage = await createStage({ config: OPEN, isShared: true })
    await stage.claim('alice')
    const said = ['Grüße 漢字 👩‍🚀', 'kept', 'a\nb']
    for (const text of said) await stage.as('alice', ['say', 'lobby'], { input: text })
    const exported = ['export', 'lobby', '--json']
    const before = await aliceReads(stage, exported)
    for (const text of ['漢字', 'kept']) expect(before).toContain(text)
    const { dataDir } = stage.server
    const file = join(dataDir, 'sshawl.db')
    expect((await operator(['copy', '--from', file, '--to', url])).stderr).toContain(
      'another sshawl is using',
    )
    await stage.server.stop('SIGTERM')
    const there = await operator(['copy', '--from', file, '--to', url])
    expect(there.stdout).toMatch(/^entries: \d+$/m)
    expect(there).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/\ncopied \d+ rows of \d+ tables$/),
    })

    const { stopped, log } = await oneLife({ dataDir, config: CONFIG, env: { DATABASE: url } }, (port) =>
      aliceReads(stage, exported, port),
    )
    expect(stopped).toBe(0)
    expect(log).toBe(before)
    const back = join(stage.dir, 'back')
    await mkdir(back)
    await operator(['copy', '--from', url, '--to', join(back, 'sshawl.db')])
    expect(
      (await oneLife({ dataDir: back, config: OPEN }, (port) => aliceReads(stage, exported, port))).log,
    ).toBe(before)
  },
)

/** Starts a server, asks it for something and stops it. */
async function oneLife(options: Parameters<typeof startServer>[0], ask: (port: number) => Promise<string>) {
  await using server = await startServer(options)
  const log = await ask(server.port)
  return { log, stopped: await server.stop('SIGTERM') }
}
