import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { moderated, type ModeratedStage } from '../support/moderated.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'
import { openSsh } from '../support/ssh.ts'

let stage: ModeratedStage<AnyServer>
beforeAll(async () => {
  stage = await moderated(await createModelStageHere())
})
afterAll(() => stage[Symbol.asyncDispose]())

test('a banned key opens no other account, whoever adds it, and locks out no holder of other keys', async () => {
  await stage.goOnWith(startServer)
  const fingerprint = await stage.home.fingerprint('zy')
  const line = await readFile(`${await stage.home.key('zy')}.pub`, 'utf8')
  await stage.done('rhea', `ban ${fingerprint}`)
  const added = await stage.as('rhea', ['keys', 'add'], { input: line })
  expect(added).toMatchObject({ exitCode: 0, stderr: '' })
  expect(added.stdout).not.toContain('banned')
  expect((await stage.run('rhea', 'whoami', 'zy')).exitCode).toBe(255)
  expect(await stage.done('rhea', 'whoami')).toBe('rhea (admin)\n')
  await stage.restart('SIGKILL')
  expect(await stage.done('rhea', 'whoami')).toBe('rhea (admin)\n')
})

test('no name can be taken for a network, or a flag, by a script’s rename either', async () => {
  for (const name of ['203.0.113.9', '--room', '-n']) {
    const { exitCode, stderr } = await stage.as('bob', ['rename', '--', name])
    expect({ name, exitCode }).toEqual({ name, exitCode: 1 })
    expect(stderr).toContain('you cannot be called that')
  }
})

test('a ban ends a connection on which nothing runs, too', async () => {
  const key = await stage.home.key('mallory')
  await using idle = openSsh({ user: 'mallory', port: stage.server.port, key, options: ['-N', '-v'] })
  await idle.waitForError('Entering interactive session')
  await stage.done('rhea', 'ban mallory 1h')
  expect(await idle.exit).not.toBeNull()
  expect(idle.errors()).not.toContain('Timeout')
})

test('somebody banned from a private room is told to be no member, and is invited again only after the ban', async () => {
  await stage.done('ann', 'create --private den')
  await stage.done('ann', 'invite den bob')
  await stage.done('bob', 'join den')
  expect(await stage.done('ann', 'ban --room den bob 1h')).toBe(
    'ann banned bob from den for 1h, who is no member any more\n',
  )
  expect((await stage.run('ann', 'invite den bob')).stderr).toContain('first: unban --room den bob')
  expect(await stage.done('ann', 'unban --room den bob')).toContain('an invitation lets them in again')
  await stage.done('ann', 'invite den bob')
})

test('what somebody used in a room that they are banned from is not in their usage', async () => {
  await stage.done('ann', 'create hall')
  await stage.done('bob', 'ask hall @guide hello')
  expect(await stage.done('bob', 'usage')).toContain('hall')
  await stage.done('ann', 'ban --room hall bob')
  expect(await stage.done('bob', 'usage')).not.toContain('hall')
})
