import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moderated, type ModeratedStage } from '../support/moderated.ts'
import { startServer, type AnyServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'

let stage: ModeratedStage<AnyServer>
beforeAll(async () => {
  stage = await moderated(await createModelStageHere())
})
afterAll(() => stage[Symbol.asyncDispose]())

const run: ModeratedStage<AnyServer>['run'] = (...args) => stage.run(...args)
const done: ModeratedStage<AnyServer>['done'] = (...args) => stage.done(...args)

const DENIED = 'Permission denied (publickey).'
const isDenied = ({ exitCode, stdout, stderr }: Awaited<ReturnType<typeof run>>): boolean =>
  exitCode === 255 && stderr.trim().endsWith(DENIED) && stdout === ''

describe('a ban from the server', () => {
  test('ends the sessions and commands of all names of the key at once, with a sentence, and is seen by all', async () => {
    await stage.goOnWith(startServer)
    await using session = await stage.open('mallory', '-tt')
    await session.waitFor(/[-─] lobby/)
    await using other = await stage.open('max', '-T', 'mallory')
    await other.waitFor(/[-─] lobby/)
    expect(await done('rhea', 'ban mallory 2h spam')).toBe(
      'rhea banned mallory from the server for 2h: spam\n',
    )
    for (const one of [session, other]) {
      expect(await one.exit).toBe(1)
      expect(one.output()).toContain('you were banned from this server for 2h: spam')
    }
    const [act] = await stage.entries('ann', 'lobby', 12).then((all) => all.filter((one) => 'act' in one))
    expect(act).toMatchObject({
      kind: 'notice',
      author: 'rhea',
      text: 'rhea banned mallory from the server for 2h: spam',
      act: { verb: 'ban', who: 'mallory', reason: 'spam', until: expect.any(String) as string },
    })
  })

  test('refuses the key under any name, as a key that nobody lets in, before and after a restart', async () => {
    for (const signal of ['', 'SIGKILL'] as const) {
      if (signal) await stage.restart(signal)
      for (const name of ['mallory', 'max', 'fresh', 'ann'])
        expect(isDenied(await run(name, 'whoami', 'mallory')), `${name} ${signal}`).toBe(true)
    }
    expect(JSON.parse(await done('rhea', 'bans --json'))).toMatchObject([
      { kind: 'ban', who: 'mallory', by: 'rhea', reason: 'spam', room: null },
    ])
  })

  test('leaves the name to nobody else, and is lifted with unban', async () => {
    expect((await run('mallory', 'whoami', 'bob')).stdout).toMatch(/mallory-\d{3} \(guest\)/)
    expect(await done('rhea', 'unban MALLORY')).toBe('rhea lifted the ban of mallory from the server\n')
    expect(await done('mallory', 'whoami')).toBe('mallory (member)\n')
    expect(await done('rhea', 'bans')).toBe('nobody is banned\n')
  })

  test('holds a key by its fingerprint, and tells nobody which one', async () => {
    const fingerprint = await stage.home.fingerprint('mallory')
    expect(await done('rhea', `ban ${fingerprint}`)).toBe(
      'rhea banned a key from the server without an end\n',
    )
    expect(isDenied(await run('max', 'whoami', 'mallory'))).toBe(true)
    await done('rhea', `unban ${fingerprint}`)
    expect((await run('max', 'whoami', 'mallory')).exitCode).toBe(0)
  })

  test('locks no admin out of their own server, by whatever name, key or network', async () => {
    const fingerprint = await stage.home.fingerprint('rhea')
    await stage.as('rhea-two', ['whoami'], { key: 'rhea' })
    for (const who of ['rhea', 'rhea-two', fingerprint, '127.0.0.1', '127.0.0.0/8', '0.0.0.0/0']) {
      const { exitCode, stderr } = await run('rhea', `ban ${who}`)
      expect({ exitCode, stderr }, who).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('yourself; nothing was done') as string,
      })
    }
    for (const who of ['10.0.0.0/33', '2001:db8::/96', '1.2.3', 'nobody-here', 'a/b'])
      expect((await run('rhea', `ban ${who}`)).exitCode, who).toBe(1)
    expect(await done('rhea', 'bans')).toBe('nobody is banned\n')
  })

  test('is for admins', async () => {
    for (const line of ['ban bob', 'unban bob', 'bans']) {
      const { exitCode, stderr } = await run('ann', line)
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('only an admin') as string,
      })
    }
  })
})
