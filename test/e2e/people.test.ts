import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ isShared: true })
})
afterAll(() => stage[Symbol.asyncDispose]())

describe('the first admin', () => {
  test('is refused with a wrong code', async () => {
    const { exitCode, stderr } = await stage.as('me', ['claim', 'AAAA-AAAA'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/wrong or was used/)
  })

  test('is whoever claims with the code, once', async () => {
    const code = stage.server.claimCode!
    const claims = await Promise.all([stage.as('me', ['claim', code]), stage.as('rival', ['claim', code])])
    expect(claims.map((claim) => String(claim.exitCode)).toSorted()).toEqual(['0', '1'])
    const again = await stage.as('late', ['claim', code])
    expect(again.exitCode).toBe(1)
    expect(again.stderr).toMatch(/wrong or was used/)
  })

  test('is admin after a restart too, and no code is printed any more', async () => {
    await stage.restart('SIGTERM')
    expect(stage.server.claimCode).toBeUndefined()
    const roles = await Promise.all(
      ['me', 'rival'].map(
        async (name) => JSON.parse((await stage.as(name, ['whoami', '--json'])).stdout).role,
      ),
    )
    expect((roles as string[]).toSorted()).toEqual(['admin', 'member'])
  })
})

describe('a name', () => {
  test('belongs to its first key: another key is a guest under another name', async () => {
    await stage.goOnWith(startServer)
    await stage.as('alice', ['whoami'])
    const thief = JSON.parse((await stage.as('alice', ['whoami', '--json'], { key: 'thief' })).stdout)
    expect(thief).toEqual({ name: expect.stringMatching(/^alice-\d{3}$/), role: 'guest' })
    await stage.restart('SIGKILL')
    const later = JSON.parse((await stage.as('alice', ['whoami', '--json'], { key: 'thief' })).stdout)
    expect(later).toEqual(thief)
    expect((await stage.as('alice', ['whoami'])).stdout).toBe('alice (member)\n')
  })

  test.each(['ALICE', 'a1ice', 'аlice', 'аӏісе'])(
    'that looks like another (%s) is that name',
    async (name) => {
      const { stdout } = await stage.as(name, ['whoami', '--json'], { key: 'thief' })
      if (stdout !== '') expect(JSON.parse(stdout).role).toBe('guest')
    },
  )

  test('with a palochka for its l is refused to a person who wants to take it', async () => {
    await stage.as('bob', ['whoami'])
    const { exitCode, stderr } = await stage.as('bob', ['rename', 'аӏісе'])
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('аӏісе') })
    expect((await stage.as('bob', ['whoami'])).stdout).toBe('bob (member)\n')
  })

  test.each([
    ['guide', 'the name guide is taken; choose another'],
    ['system', 'nobody can be called system: the server speaks in this name'],
    ['lobby', 'nobody can be called lobby'],
    ['NOBODY', 'nobody can be called NOBODY: the server says it of nobody in particular'],
    ['s0mebody', 'nobody can be called s0mebody'],
    ['YOU', 'nobody can be called YOU: the server says it to its reader; choose another name'],
    ['r00t', 'nobody can be called r00t: it sounds as if they ran the server; choose another name'],
    [
      'assistant',
      'nobody can be called assistant: models read it as a role in their prompt; choose another name',
    ],
    ['everyone', 'choose another name. Log in as ssh NAME@…'],
    ['a b', 'a name is 1-24 letters, digits, _ . or -'],
    ['_', 'a name needs a letter or a digit'],
  ])('%j cannot be had, and its key is told why at each command and session', async (name, why) => {
    const { exitCode, stdout, stderr } = await stage.as(name, ['whoami'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain(`You cannot come in under this name: `)
    expect(stderr).toContain(why)
    await using session = await stage.open(name, '-T')
    await session.waitFor(why)
    expect(await session.exit).toBe(1)
  })
})
