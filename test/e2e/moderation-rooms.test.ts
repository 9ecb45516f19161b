import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moderated, type ModeratedStage } from '../support/moderated.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'

let stage: ModeratedStage<AnyServer>
beforeAll(async () => {
  stage = await moderated(await createModelStageHere('', { isShared: true }))
  await stage.done('ann', 'create yard')
})
afterAll(() => stage[Symbol.asyncDispose]())

const run: ModeratedStage<AnyServer>['run'] = (...args) => stage.run(...args)
const done: ModeratedStage<AnyServer>['done'] = (...args) => stage.done(...args)

/** A loaded machine takes long for one ssh. */
const PATIENT = { timeout: 20_000 }

describe('a person who is muted', () => {
  test('reads and does not speak, under no name of the key, with no model and no tool, also after a restart', async () => {
    expect(await done('ann', 'mute yard mallory')).toBe('ann muted mallory\n')
    const before = stage.models.requests.length
    const tries = [
      'say yard hi',
      'me yard waves',
      'ask yard @qwen hi',
      'run yard calculator {"expression":"1"}',
      'topic yard x',
    ]
    const mustFail = async (name: string, lines: readonly string[]): Promise<void> => {
      for (const line of lines) {
        const { exitCode, stderr } = await run(name, line, 'mallory')
        expect({ name, line, exitCode }).toEqual({ name, line, exitCode: 1 })
        expect(stderr).toMatch(/you are muted in yard|only the owner/)
      }
    }
    await mustFail('mallory', tries)
    await stage.restart('SIGTERM')
    await mustFail('max', tries.slice(0, 3))
    expect((await run('max', 'history yard', 'mallory')).stdout).toContain('ann muted mallory')
    expect(stage.models.requests.length).toBe(before)
    expect((await stage.entries('ann', 'yard', 50)).filter(({ author }) => author !== 'ann')).toEqual([])
  })

  test('is told so in a session, comes in all the same, and speaks again after unmute', async () => {
    await using session = await stage.open('mallory', '-tt')
    await session.waitFor(/[-─] lobby/)
    session.write('/join yard\rhello all\r')
    await session.waitFor('you are muted in yard until that is undone')
    await done('ann', 'unmute yard mallory')
    await session.waitFor('ann unmuted mallory')
    session.write('thanks\r')
    await expect.poll(() => done('ann', 'history yard -n 1'), PATIENT).toContain('mallory: thanks')
    session.write('/leave\r')
    await session.waitFor(/[-─] lobby[^]*[-─] lobby/)
  })

  test('for a time speaks again when it is over', async () => {
    expect(await done('ann', 'mute yard mallory 1s')).toBe('ann muted mallory for 1s\n')
    const last = (await stage.entries('ann', 'yard')).findLast((entry) => 'act' in entry)
    expect(last?.['act']).toEqual({
      verb: 'mute',
      who: 'mallory',
      until: expect.stringMatching(/Z$/) as string,
    })
    await expect.poll(async () => (await run('mallory', 'say yard later')).exitCode, PATIENT).toBe(0)
  })
})

describe('out of a room', () => {
  test('a kick takes a session to the lobby, and it may come back; from the lobby it ends', async () => {
    await using session = await stage.open('mallory', '-tt')
    await session.waitFor(/[-─] lobby/)
    session.write('/join yard\r')
    await session.waitFor(/[-─] yard/)
    expect(await done('ann', 'kick yard mallory too loud')).toBe('ann kicked mallory: too loud\n')
    await session.waitFor('ann kicked you out of yard: too loud; you may come back')
    const seen = session.output().length
    session.write('/join yard\r')
    await session.waitFor(/[-─] yard/, seen)
    session.write('/leave\r')
    await session.waitFor(/[-─] lobby[^]*[-─] lobby[^]*[-─] lobby/)
    await done('rhea', 'kick lobby mallory')
    expect(await session.exit).toBe(1)
    expect((await run('mallory', 'whoami')).exitCode).toBe(0)
  })

  test('a ban keeps all names of the key out, with their models, and is not got around through an exit', async () => {
    await done('mallory', 'create burrow')
    await done('mallory', 'portal burrow up yard')
    await using session = await stage.open('max', '-tt', 'mallory')
    await session.waitFor(/[-─] lobby/)
    session.write('/join yard\r')
    await session.waitFor(/[-─] yard/)
    await done('ann', 'op yard bob')
    expect(await done('bob', 'ban --room yard mallory 7d')).toBe('bob banned mallory from yard for 7d\n')
    await session.waitFor('you were banned from yard for 7d')
    for (const line of ['join yard', 'history yard', 'who yard', 'say yard x', 'ask yard @qwen x'])
      expect((await run('mallory', line)).stderr, line).toMatch(
        /^! ?you are banned from yard|^you are banned from yard/,
      )
    session.write('/join burrow\r/go up\r')
    await session.waitFor(/you are banned from yard for (7d|6d 23h) more/)
    expect(await done('mallory', 'rooms')).not.toContain('yard')
    expect(await done('bob', 'bans --room yard')).toMatch(
      /^mallory, also max {2}banned by bob until \d{1,2} [A-Z][a-z]{2} \d{4} /,
    )
    await done('bob', 'unban --room yard mallory')
    expect((await run('mallory', 'history yard')).exitCode).toBe(0)
  })

  test('reaches no owner and no admin, and not oneself', async () => {
    const refused = [
      ['bob', 'ban --room yard ann', 'owns yard'],
      ['bob', 'kick yard ann', 'owns yard'],
      ['bob', 'mute yard rhea', 'is an admin'],
      ['bob', 'kick yard bob', 'that is yourself'],
      ['mallory', 'mute yard bob', 'only the owner of yard, an op or an admin'],
      ['mallory', 'ban --room yard bob', 'only the owner of yard, an op or an admin'],
      ['rhea', 'ban --room lobby bob', 'every session begins in the lobby'],
    ] as const
    for (const [name, line, why] of refused) {
      const { exitCode, stderr } = await run(name, line)
      expect({ line, exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(why) as string,
      })
    }
    expect(await done('ann', 'deop yard bob')).toBe("ann took the op's rights from bob\n")
    expect((await run('bob', 'kick yard mallory')).stderr).toContain('only the owner of yard')
  })
})
