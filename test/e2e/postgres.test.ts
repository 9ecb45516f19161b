import { join } from 'node:path'
import { mkdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { lacks } from '../support/needs.ts'
import { aliceReads, operator } from '../support/operator.ts'
import { createDatabase } from '../support/postgres/databases.ts'
import { createStage } from '../support/stage.ts'
import { startServer } from '../support/server.ts'
import { onPostgres } from '../support/stored.ts'

const OPEN = '[server]\naccess = "open"\n'

const CONFIG = `${OPEN}[storage]\nurl_env = "DATABASE"\n`

const PASSWORD = 'tops3cret'

/** What the server is not asked for here, and would log. */
const withPassword = (url: string): string => Object.assign(new URL(url), { password: PASSWORD }).toString()

describe.skipIf(lacks('postgres'))('a server on PostgreSQL', () => {
  test('a server on PostgreSQL keeps lines over kill -9 and never shows the password', async () => {
    await using database = await createDatabase()
    const env = { DATABASE: withPassword(database.url) }
    await using stage = await createStage({ config: CONFIG, env, isShared: true })
    await stage.claim('alice')
    await stage.as('alice', ['create', 'den', '--private'])
    await stage.as('alice', ['say', 'lobby', 'kept in another place'])
    await stage.restart('SIGKILL')
    expect(await aliceReads(stage, ['history', 'lobby'])).toContain('kept in another place')
    expect(await aliceReads(stage, ['search', 'lobby', 'OTHER'])).toContain('nothing here has OTHER')
    expect(await aliceReads(stage, ['search', 'lobby', 'plac'])).toContain('kept in another place')

    const words = ['--data', stage.server.dataDir, '--config', `${stage.server.dataDir}.toml`]
    const audit = await operator(['audit', ...words], env)
    expect(audit.stdout).toMatch(/^alice +server +admin /m)
    expect((await operator(['check', ...words], env)).stdout).toContain('no problems')
    const backup = await operator(['backup', join(stage.dir, 'copy'), ...words], env)
    expect(backup).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('pg_dump --format=custom') })
    const away = { DATABASE: env.DATABASE.replace(/\/[^/]*$/, '/away') }
    const missing = await operator(['check', ...words], away)
    expect(missing.stdout).toContain('storage.url: there is no such database')
    const shown = [stage.server.stderr(), audit.stderr, backup.stderr, missing.stdout, missing.stderr]
    expect(shown.join('\n')).not.toContain(PASSWORD)
  })
})

test.skipIf(lacks('postgres'))(
  'sshawl copy moves a log to PostgreSQL and back unchanged',
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
