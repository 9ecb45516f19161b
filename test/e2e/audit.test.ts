import { execa } from 'execa'
import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { lateOptimizing } from '../support/node-flags.ts'
import { createStageHere } from '../support/stage.ts'
import { askStored, onPostgres, writeConfig } from '../support/stored.ts'

const MAIN = new URL('../../dist/main.js', import.meta.url).pathname
const ADMIN_KEY = `SHA256:${'a'.repeat(43)}`

/** An Ed25519 key of RFC 8709's form, whose bytes are zero. */
const CA_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const CA_FINGERPRINT = expect.stringMatching(/^whoever has a certificate of SHA256:.{43} for it$/)

/** Another config of the same server, which it has not read. */
const configure = (more: string) => writeConfig(stage.server.dataDir, `[server]\naccess = "open"\n${more}`)
const stage = await forAllTests(createStageHere({ config: '[server]\naccess = "open"\n' }))
await stage.claim('alice')
await configure(`admins = ["${ADMIN_KEY}"]\nuser_ca = ["${CA_KEY}"]\n`)
for (const name of ['bob', '안나']) await stage.as(name, ['whoami'])
await stage.as('alice', ['create', 'den', '--private'])
await stage.as('alice', ['invite', 'den', 'bob'])

const audit = (...args: readonly string[]) => {
  const { dataDir } = stage.server
  return execa(
    process.execPath,
    [...lateOptimizing, MAIN, 'audit', '--config', `${dataDir}.toml`, '--data', dataDir, ...args],
    { reject: false },
  )
}

test('sshawl audit of a running server prints a table of admins, rooms, invitations and keys', async () => {
  const [alice, bob, anna] = await Promise.all(
    ['alice', 'bob', '안나'].map((name) => stage.home.fingerprint(name)),
  )
  const { stdout, stderr, exitCode } = await audit()
  expect(stderr).toBe('')
  expect(exitCode).toBe(0)
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/))
  expect(rows).toEqual([
    ['who', 'where', 'may', 'until', 'by'],
    ['anybody with a key', 'server', 'register (access = open)', '-', 'the config'],
    [`whoever has ${ADMIN_KEY}`, 'server', 'admin', '-', 'the config'],
    [CA_FINGERPRINT, 'server', 'log in with any name that is free or theirs', '-', 'the config'],
    ['alice', 'server', 'admin', '-', '-'],
    ['bob', 'den (private)', 'invited: may join', '-', '-'],
    ['alice', 'den (private)', 'owner', '-', '-'],
    ...[
      ['alice', alice],
      ['bob', bob],
      ['안나', anna],
    ]
      .toSorted(([, one = ''], [, other = '']) => (one < other ? -1 : 1))
      .map(([name = '', key]) => [name, 'server', `log in with ${key}`, '-', '-']),
  ])
})

test('sshawl audit --json of a stopped server lists routines, and grants that have not expired', async () => {
  await stage.server.stop('SIGTERM')
  const later = Date.now() + 3_600_000
  await askStored(
    stage.server.dataDir,
    `INSERT INTO grants (room, id, person, name, tool, target, until, "by", at)
     SELECT 'den', n, id, name, 'write_file', 'a' || n, CASE n WHEN 1 THEN ${later} WHEN 2 THEN 1 END, 'alice', 1
     FROM people, (SELECT 1 AS n UNION SELECT 2 UNION SELECT 3) AS numbered WHERE name = 'bob'`,
  )
  await askStored(
    stage.server.dataDir,
    `INSERT INTO routines (id, room, number, kind, person, text, condition, zone, at, state, reason, failures,
       seen_at, spent, spent_day)
     SELECT kind, 'den', n, kind, id, said, '{}', 'UTC', 1, state, '', 0, 1, 0, 0
     FROM people, (SELECT 1 AS n, 'calendar' AS kind, '@qwen sum up' AS said, 'active' AS state
       UNION SELECT 2, 'each', '', 'paused' UNION SELECT 3, 'once', 'lunch', 'ended') AS made
     WHERE name = 'bob'`,
  )
  await askStored(stage.server.dataDir, "UPDATE grants SET routine = 'calendar' WHERE id = 3")
  const { stdout } = await audit('--json')
  const rights = stdout.split('\n').map((line) => JSON.parse(line) as { who: string; may: string })
  expect(rights.filter(({ may }) => may.startsWith('run'))).toEqual([
    {
      who: 'bob',
      where: 'den',
      may: 'run write_file without a question in routine 1: a3',
      until: null,
      by: 'alice',
    },
    {
      who: 'bob',
      where: 'den',
      may: 'run write_file without a question: a1',
      until: new Date(later).toISOString(),
      by: 'alice',
    },
  ])
  expect(rights.filter(({ may }) => may.startsWith('have'))).toEqual([
    { who: 'bob', where: 'den', may: 'have later lines answered by routine 2', until: null, by: 'bob' },
    { who: 'bob', where: 'den', may: 'have said by routine 1: @qwen sum up', until: null, by: 'bob' },
  ])
})

test('sshawl audit lists open invite codes, bans and mutes', async () => {
  await stage.restart('SIGTERM')
  await stage.as('bob', ['invites', 'new', '--uses', '3'])
  await stage.as('안나', ['join', 'lobby'])
  for (const line of ['mute lobby 안나 2h', 'ban bob 1d enough for today', 'ban 10.0.0.0/8'])
    expect((await stage.as('alice', line.split(' '))).stderr).toBe('')
  const { stdout } = await audit('--json')
  const rights = stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
  const until = expect.stringMatching(/^20/)
  expect(rights.filter(({ may }) => /^(register, |nothing(?! with)|read)/.test(String(may)))).toEqual([
    {
      who: 'whoever has the code 1',
      where: 'server',
      may: 'nothing while its maker is banned',
      until,
      by: 'bob',
    },
    { who: '안나', where: 'lobby', may: 'read: muted', until, by: 'alice' },
    { who: '10.0.0.0/8', where: 'server', may: 'nothing: banned', until: null, by: 'alice' },
    { who: 'bob', where: 'server', may: 'nothing: banned (enough for today)', until, by: 'alice' },
  ])
})

test('sshawl audit exits with status 1 if there is no database', async ({ skip }) => {
  skip(onPostgres, 'a directory without a file is what it is about')
  const nowhere = await audit('--data', `${stage.dir}/none`)
  expect(nowhere.exitCode).toBe(1)
  expect(nowhere.stderr).toMatch(
    /^sshawl: .*none\/sshawl\.db: there is no database; name its directory with --data$/,
  )
})

test('sshawl audit and sshawl check reject unexpected arguments with status 2', async () => {
  expect((await audit('now')).exitCode).toBe(2)
  const check = await execa(process.execPath, [...lateOptimizing, MAIN, 'check', '--json'], { reject: false })
  expect(check).toMatchObject({ exitCode: 2, stderr: 'sshawl: unexpected "--json"; see sshawl --help' })
})

test('sshawl audit rejects a database of another schema version', async ({ skip }) => {
  skip(
    onPostgres,
    "its version is a number in the file's head; test/unit/storage/postgres has the same of PostgreSQL",
  )
  const { dataDir } = stage.server
  const [head] = await askStored(dataDir, 'PRAGMA user_version')
  await askStored(dataDir, `PRAGMA user_version = ${Number(head?.['user_version']) - 1}`)
  const { exitCode, stderr } = await audit()
  expect(exitCode).toBe(1)
  expect(stderr).toContain('another version of sshawl; start this version once, and try again then')
})
