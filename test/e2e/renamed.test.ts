import { afterAll, beforeAll, expect, test } from 'vitest'
import { moderated, type ModeratedStage } from '../support/moderated.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'

let stage: ModeratedStage<AnyServer>
beforeAll(async () => {
  stage = await moderated(await createModelStageHere('', { isShared: true }))
  await stage.done('mallory', 'say lobby buy my things')
})
afterAll(() => stage[Symbol.asyncDispose]())

const run: ModeratedStage<AnyServer>['run'] = (...args) => stage.run(...args)
const done: ModeratedStage<AnyServer>['done'] = (...args) => stage.done(...args)
const texts = async (room: string, count = 20) =>
  (await stage.entries('rhea', room, count)).map(({ text }) => text)

test('a change of name from a script is an entry where the person spoke, and where they are a member', async () => {
  await done('ann', 'create den')
  await done('ann', 'create cave')
  await done('mallory', 'join den')
  await done('mallory', 'rename VOTE')
  for (const room of ['lobby', 'den']) expect(await texts(room)).toContain('mallory is called VOTE now')
  expect(await done('rhea', 'history cave')).toBe('')
})

test('the former name leads moderators, and who writes or ignores, to the bearer, with the name of now', async () => {
  expect(await done('rhea', 'mute lobby mallory 1h')).toBe('rhea muted VOTE for 1h\n')
  expect((await run('VOTE', 'say lobby x', 'mallory')).stderr).toContain('you are muted in lobby')
  expect(await done('rhea', 'unmute lobby mallory')).toBe('rhea unmuted VOTE\n')
  expect(await done('ann', 'msg mallory stop it')).toContain('you -> VOTE: stop it')
  expect(await done('ann', 'ignore mallory')).toContain('VOTE')
  expect(await done('ann', 'op den mallory')).toContain('ann made VOTE an op')
  expect(await done('ann', 'deop den mallory')).toContain('from VOTE')
  expect(await done('rhea', 'ban mallory 1h')).toBe('rhea banned VOTE from the server for 1h\n')
  expect((await run('VOTE', 'whoami', 'mallory')).exitCode).toBe(255)
  expect(await done('rhea', 'unban mallory')).toContain('lifted the ban of VOTE')
})

test('nobody fills a room with changes of name, muted or not, nor with joining and leaving', async () => {
  await done('rhea', 'mute lobby VOTE')
  const names = ['mallory', 'VOTE', 'mallory', 'VOTE', 'mallory', 'VOTE', 'mallory', 'VOTE']
  const outcomes: string[] = []
  for (const name of names) outcomes.push((await run('mallory', `rename ${name}`, 'mallory')).stderr)
  expect(outcomes.join('')).toContain('a name can be changed 5 times a day (renames_per_day)')
  expect((await texts('lobby', 100)).filter((text) => String(text).includes('is called'))).toHaveLength(5)
  // Its key counts for all its names.
  expect((await run('max', 'rename maxim', 'mallory')).stderr).toContain('renames_per_day')
  await done('ann', 'create yard')
  for (let round = 0; round < 14; round++) {
    await done('bob', 'join yard')
    await done('bob', 'leave yard')
  }
  const entries = await stage.entries('rhea', 'yard', 100)
  expect(entries.length).toBeLessThanOrEqual(20)
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(['presence']))
})
