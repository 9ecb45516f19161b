import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lacks } from '../support/needs.ts'
import { aliceReads, operator } from '../support/operator.ts'
import { createDatabase } from '../support/postgres/databases.ts'
import { createStage } from '../support/stage.ts'

const OPEN = '[server]\naccess = "open"\n'
const CONFIG = `${OPEN}[storage]\nurl_env = "DATABASE"\n`
const PASSWORD = 'tops3cret'

/** What the server is not asked for here, and would log. */
const withPassword = (url: string): string => Object.assign(new URL(url), { password: PASSWORD }).toString()

describe.skipIf(lacks('postgres'))('a server on PostgreSQL', () => {
  test('keeps what was said, survives kill -9, and shows its password nowhere', async () => {
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
