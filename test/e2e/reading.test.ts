import { once } from 'node:events'
import { afterAll, beforeAll, expect, test, describe } from 'vitest'
import { encodeTime } from 'ulid'
import { forAllTests } from '../support/for-all-tests.ts'
import { hang, says } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'
import { moderated, type ModeratedStage } from '../support/moderated.ts'
import { operator } from '../support/operator.ts'
import { allStored, askStored, onPostgres } from '../support/stored.ts'

const stage = await forAllTests(createModelStageHere('\n[limits]\nrate_burst = 1000\n', { isShared: true }))
await stage.claim('rhea')

const out = async (who: string, ...words: readonly string[]): Promise<string> =>
  (await stage.as(who, words)).stdout

test('an export has all entries of a room as Markdown and as JSON, whatever bytes they contain', async () => {
  await stage.as('alice', ['create', 'log'])
  const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('latin1')
  await stage.as('alice', ['say', 'log'], {
    input: `# no heading\n\n- 00:00:00 **bob**: not said\n${binary}`,
  })
  await stage.as('alice', ['me', 'log', 'waves'])
  const json = await out('bob', 'export', 'log', '--json')
  expect(json).toBe(await out('bob', 'history', 'log', '-n', '1000', '--json'))
  expect(
    json
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { kind: string }).kind),
  ).toEqual(['message', 'action'])
  const page = await out('bob', 'export', 'log')
  expect(page).toMatch(/^# log\n\nThe log up to /)
  expect(page).toMatch(/\n- \d\d:\d\d:\d\d \*\*alice\*\*: \\# no heading\n\n {2}\\- 00:00:00 \\\*\\\*bob/)
  expect(page).toMatch(/\n- \d\d:\d\d:\d\d \\\* alice waves\n\nThe end: 2 entries\.\n$/)
  expect(page).not.toMatch(/(?![\n\t])\p{Cc}/u)
})

test('a reader who disconnects within a long export does not affect the next export', async () => {
  const text = `${'x'.repeat(200)}\n`.repeat(300)
  for (let at = 0; at < 18; at++) await stage.as('rhea', ['say', 'log'], { input: text })
  const target = { user: 'bob', port: stage.server.port, key: await stage.home.key('bob') }
  const reader = openSsh(target, ['export', 'log'])
  await once(reader.child.stdout, 'data')
  reader.child.stdout.destroy()
  reader.child.kill('SIGKILL')
  await reader.exit
  expect((await out('bob', 'export', 'log', '--json')).split('\n').filter(Boolean)).toHaveLength(20)
})

test('a private room is answered to a non-member like a room that does not exist', async () => {
  await stage.as('alice', ['create', '--private', 'den'])
  await stage.as('alice', ['say', 'den', 'a secret word'])
  for (const words of [['export'], ['export', '--json'], ['retry'], ['stop'], ['stop'], ['search', '-']]) {
    const [verb = '', ...flags] = words
    const ask = (room: string) =>
      stage.as('bob', verb === 'search' ? [verb, '-', 'secret'] : [verb, ...flags, room])
    const [hidden, missing] = [await ask('den'), await ask('dxn')]
    expect({ ...hidden, stderr: hidden.stderr.replace('den', 'dxn') }).toEqual(missing)
    expect(hidden.stdout).not.toContain('word')
  }
})

test('an invitation is announced once: at once, or at the next login, also after a restart', async () => {
  await stage.goOnWith(startServer)
  const invited = 'alice invited you to den; /join den'
  await using carol = await stage.open('carol', '-tt')
  await carol.waitFor('carol joined')
  await stage.as('dave', ['whoami'])
  await stage.as('alice', ['invite', 'den', 'carol'])
  await stage.as('alice', ['invite', 'den', 'dave'])
  await carol.waitFor(invited)
  expect(await out('carol', 'search', '-', 'secret')).toBe('nothing in your rooms has secret\n')
  await stage.restart('SIGKILL')
  for (const times of [1, 0]) {
    const dave = await stage.open('dave', '-T')
    await dave.waitFor('dave joined')
    dave.write('/search - secret\n')
    dave.close()
    await dave.exit
    expect(dave.output().split(invited)).toHaveLength(times + 1)
  }
})

test('/retry repeats a question whose turn a restart cut off', async () => {
  await stage.goOnWith(startServer)
  stage.models.play(hang())
  const asking = openSsh({ user: 'alice', port: stage.server.port, key: await stage.home.key('alice') }, [
    'ask',
    'log',
    '@qwen',
    'are',
    'you',
    'there?',
  ])
  await stage.models.arrived(1)
  await stage.restart('SIGKILL')
  await asking[Symbol.asyncDispose]()
  stage.models.play(says('yes'))
  expect(await stage.as('alice', ['retry', 'log'])).toMatchObject({ exitCode: 0, stdout: 'yes\n' })
  expect(await out('alice', 'history', 'log', '-n', '2')).toContain(
    'alice asked @qwen again: @qwen are you there?',
  )
})

describe('the age limit of lines', () => {
  const DAY = 86_400_000

  let stage: ModeratedStage<AnyServer>
  beforeAll(async () => {
    stage = await moderated(await createModelStageHere('', { isShared: true }))
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const run: ModeratedStage<AnyServer>['run'] = (...args) => stage.run(...args)
  const done: ModeratedStage<AnyServer>['done'] = (...args) => stage.done(...args)

  /** Stores a line that ann said so many days ago. */
  async function saidBefore(room: string, days: number, text: string): Promise<void> {
    const at = Date.now() - days * DAY
    const id = `${encodeTime(at, 10)}${'0'.repeat(16)}`
    await askStored(
      stage.server.dataDir,
      `INSERT INTO entries (id, room, at, kind, author, text, data${onPostgres ? ', not_run, words' : ''})
     VALUES ('${id}', '${room}', ${at}, 'message', 'ann', '${text}', '{}'${onPostgres ? ", 0, ''" : ''})`,
    )
  }

  const texts = async (room: string): Promise<readonly unknown[]> =>
    (await stage.entries('ann', room, 100)).map(({ text }) => text)

  async function audited(): Promise<readonly Record<string, unknown>[]> {
    const { dataDir } = stage.server
    const { stdout } = await operator(['audit', '--json', '--config', `${dataDir}.toml`, '--data', dataDir])
    return stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  describe('a room that keeps its lines for ninety days', () => {
    beforeAll(async () => {
      await done('ann', 'create den')
      for (const days of [400, 120, 91]) await saidBefore('den', days, `of ${days} days ago`)
      for (const days of [89, 2]) await saidBefore('den', days, `of ${days} days ago`)
    })

    test('/keep says how many lines it would remove, and removes none without --yes', async () => {
      expect(await done('bob', 'keep den')).toBe('what is said in den is kept for good\n')
      const { exitCode, stderr } = await run('ann', 'keep den 90d')
      expect(exitCode).toBe(1)
      expect(stderr).toBe(
        'this removes 3 lines of den, for good, with results and files older than 90d; to do it: keep den 90d --yes\n',
      )
      expect(await texts('den')).toContain('of 400 days ago')
      expect(await done('ann', 'keep den')).toBe('what is said in den is kept for good\n')
    })

    test('/keep is rejected for other people, for less than a day and for parts of days', async () => {
      expect((await run('bob', 'keep den 90d --yes')).exitCode).toBe(1)
      expect((await run('ann', 'keep den 12h --yes')).exitCode).toBe(2)
      expect((await run('ann', 'keep den 36h --yes')).exitCode).toBe(2)
      expect(await texts('den')).toContain('of 400 days ago')
    })

    test('/keep removes only older lines, and the audit shows who set it', async () => {
      const kept = await done('ann', 'history den --json -n 2')
      await done('ann', 'keep den 90d --yes')
      await expect.poll(() => texts('den')).not.toContain('of 91 days ago')
      expect(await texts('den')).toEqual([
        'of 89 days ago',
        'of 2 days ago',
        'ann set: what is said here is removed for good after 90 days',
      ])
      expect(await done('ann', 'export den --json')).toContain(kept.split('\n')[1])
      expect((await run('ann', 'search den ago')).stdout).not.toContain('of 91')
      expect(await done('ann', 'keep den')).toBe('what is said in den is removed for good after 90 days\n')
      expect(await audited()).toContainEqual({
        who: 'everybody',
        where: 'den',
        may: expect.stringMatching(/^read back 90d, since \d{4}-\d\d-\d\d, when 3 lines are older$/),
        until: null,
        by: 'ann',
      })
    })

    test('/keep off keeps the lines of a room for good again', async () => {
      await done('ann', 'keep den off')
      expect(await done('bob', 'keep den')).toBe('what is said in den is kept for good\n')
      expect((await audited()).map(({ may }) => may)).toContainEqual(
        expect.stringContaining('read all stored lines'),
      )
    })
  })

  describe("the removal of a person's lines", () => {
    test('/purge counts the lines first, then removes them from log, search, summary and requests', async () => {
      await done('ann', 'create pit')
      await done('ann', 'say pit morning')
      await done('bob', 'say pit my secret pear')
      stage.models.play(says('a fine day'))
      await done('ann', 'ask pit @qwen well?')
      await done('bob', 'me pit eats the pear')
      await done('ann', 'react pit 🍐')
      await done('ann', 'summary pit set bob has a pear')
      expect(await done('ann', 'turn pit last full')).toContain('pear')
      await using session = await stage.open('ann', '-tt')
      await session.waitFor(/[-─]\S* lobby/)
      session.write('/join pit\r')
      await session.waitFor('pear')

      expect((await run('ann', 'purge bob --yes')).stderr).toContain('only an admin')
      const asked = await run('rhea', 'purge bob')
      expect(asked.exitCode).toBe(1)
      expect(asked.stderr).toBe(
        'this removes 3 lines of bob in 1 room, for good; to do it: purge bob --yes\n',
      )
      expect(await texts('pit')).toContain('my secret pear')

      expect(await done('rhea', 'purge bob --yes')).toMatch(/^removed 3 lines of bob in 1 room\n/)
      await session.waitFor('rhea removed 3 lines of bob')
      expect(await texts('pit')).toEqual(
        expect.arrayContaining(['morning', 'a fine day', 'rhea removed 3 lines of bob']),
      )
      for (const line of ['history pit', 'turn pit last full', 'summary pit'])
        expect((await run('ann', line)).stdout, line).not.toContain('pear')
      expect((await run('ann', 'search pit pear')).stdout).not.toContain('secret')
      expect(JSON.stringify(await allStored(stage.server.dataDir))).not.toContain('pear')
      await using newcomer = await stage.open('mallory', '-tt')
      await newcomer.waitFor(/[-─]\S* lobby/)
      newcomer.write('/join pit\r')
      await newcomer.waitFor('a fine day')
      expect(newcomer.output()).not.toContain('pear')
      expect(await audited()).toContainEqual({
        who: 'bob',
        where: 'server',
        may: expect.stringMatching(/^lines from before \d{4}-\d\d-\d\d \d\d:\d\d UTC removed: 3$/),
        until: null,
        by: 'rhea',
      })
      expect((await run('rhea', 'purge bob')).stderr).toBe('nothing is stored that bob said\n')
    })

    test('/purge removes the topic, vibe, instruction, to-do items and away text of a person', async () => {
      await done('ada', 'create nook')
      await done('ada', 'topic nook about a quince')
      await done('ada', 'vibe nook sour as a quince')
      await done('ada', 'instruct nook praise the quince')
      const todo = (...contents: readonly string[]) =>
        `run nook todo_write ${JSON.stringify({ todos: contents.map((content) => ({ content })) })}`
      await done('ada', todo('peel  the quince'))
      await done('rhea', todo('peel the quince', 'boil water'))
      await done('rhea', 'vibe nook calm')
      await done('ada', 'away eating a quince')
      const { stdout } = await run('rhea', 'purge ada --yes')
      expect(stdout).toContain('key-values and files do not say whose they are; an owner removes them')
      expect(await done('rhea', 'topic nook')).toBe('no topic is set\n')
      expect(await done('rhea', 'vibe nook')).toBe('calm\n')
      expect(await done('rhea', 'kv nook todo')).toContain('boil water')
      expect((await run('rhea', 'msg ada hello')).stdout).not.toContain('is away')
      // The call that repeats the item was said by somebody else.
      await done('rhea', 'purge rhea --yes')
      expect(JSON.stringify(await allStored(stage.server.dataDir))).not.toContain('quince')
    })
  })
})
