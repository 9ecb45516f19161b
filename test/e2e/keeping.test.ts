import { encodeTime } from 'ulid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moderated, type ModeratedStage } from '../support/moderated.ts'
import { says } from '../support/model-server.ts'
import { operator } from '../support/operator.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'
import { allStored, askStored, onPostgres } from '../support/stored.ts'

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

  test('is told how many lines would go, and loses none before --yes', async () => {
    expect(await done('bob', 'keep den')).toBe('what is said in den is kept for good\n')
    const { exitCode, stderr } = await run('ann', 'keep den 90d')
    expect(exitCode).toBe(1)
    expect(stderr).toBe(
      'this removes 3 lines of den, for good, with results and files older than 90d; to do it: keep den 90d --yes\n',
    )
    expect(await texts('den')).toContain('of 400 days ago')
    expect(await done('ann', 'keep den')).toBe('what is said in den is kept for good\n')
  })

  test('is set by those who manage it alone, to a day at least', async () => {
    expect((await run('bob', 'keep den 90d --yes')).exitCode).toBe(1)
    expect((await run('ann', 'keep den 12h --yes')).exitCode).toBe(2)
    expect((await run('ann', 'keep den 36h --yes')).exitCode).toBe(2)
    expect(await texts('den')).toContain('of 400 days ago')
  })

  test('loses older lines alone, and the audit shows who wanted that', async () => {
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

  test('keeps them for good again', async () => {
    await done('ann', 'keep den off')
    expect(await done('bob', 'keep den')).toBe('what is said in den is kept for good\n')
    expect((await audited()).map(({ may }) => may)).toContainEqual(
      expect.stringContaining('read all that is stored'),
    )
  })
})

describe('what somebody said', () => {
  test('is counted first, and removed by an admin from log, search, summary and requests', async () => {
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
    await session.waitFor(/[-─] lobby/)
    session.write('/join pit\r')
    await session.waitFor('pear')

    expect((await run('ann', 'purge bob --yes')).stderr).toContain('only an admin')
    const asked = await run('rhea', 'purge bob')
    expect(asked.exitCode).toBe(1)
    expect(asked.stderr).toBe('this removes 3 lines of bob in 1 room, for good; to do it: purge bob --yes\n')
    expect(await texts('pit')).toContain('my secret pear')

    expect(await done('rhea', 'purge bob --yes')).toBe('removed 3 lines of bob in 1 room\n')
    await session.waitFor('rhea removed 3 lines of bob')
    expect(await texts('pit')).toEqual(
      expect.arrayContaining(['morning', 'a fine day', 'rhea removed 3 lines of bob']),
    )
    for (const line of ['history pit', 'turn pit last full', 'summary pit'])
      expect((await run('ann', line)).stdout, line).not.toContain('pear')
    expect((await run('ann', 'search pit pear')).stdout).not.toContain('secret')
    expect(JSON.stringify(await allStored(stage.server.dataDir))).not.toContain('pear')
    await using newcomer = await stage.open('mallory', '-tt')
    await newcomer.waitFor(/[-─] lobby/)
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
})
