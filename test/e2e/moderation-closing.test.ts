import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moderated, type ModeratedStage } from '../support/moderated.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere } from '../support/stage.ts'

let stage: ModeratedStage<AnyServer>
beforeAll(async () => {
  stage = await moderated(await createModelStageHere('', { isShared: true }))
})
afterAll(() => stage[Symbol.asyncDispose]())

const run: ModeratedStage<AnyServer>['run'] = (...args) => stage.run(...args)
const done: ModeratedStage<AnyServer>['done'] = (...args) => stage.done(...args)

describe('an invited person', () => {
  test('reads nothing of a private room before they join, and a member who is taken out reads nothing again', async () => {
    await done('ann', 'create --private cave')
    await done('ann', 'say cave secret')
    await done('ann', 'topic cave gold')
    await done('ann', 'invite cave bob')
    for (const line of [
      'history cave',
      'search cave secret',
      'who cave',
      'wrap cave',
      'usage cave',
      'tools cave',
    ])
      expect((await run('bob', line)).stderr, line).toContain(
        'you are invited to cave, and no member yet; first: join cave',
      )
    expect((await run('bob', 'search - secret')).stdout).not.toContain('ann: secret')
    const rooms = await done('bob', 'rooms')
    expect(rooms).toContain('you are invited: join cave')
    expect(rooms).not.toContain('gold')
    await done('bob', 'join cave')
    expect(await done('bob', 'history cave')).toContain('ann: secret')
    expect(await done('ann', 'uninvite cave bob')).toBe('ann took bob out of the room\n')
    const [gone, never] = [await run('bob', 'history cave'), await run('bob', 'history nowhere')]
    expect(gone.stderr.replace('cave', 'nowhere')).toBe(never.stderr)
  })
})

describe('the end of a room', () => {
  test('archived, it is read and nobody speaks in it, until it is opened again', async () => {
    await done('ann', 'create yard')
    await done('ann', 'say yard thanks')
    await done('ann', 'archive yard')
    await stage.restart('SIGTERM')
    expect((await run('ann', 'say yard x')).stderr).toContain('yard is archived')
    expect(await done('bob', 'rooms')).toMatch(/^yard {2}0 here {2}archived/m)
    expect(await done('bob', 'history yard')).toContain('ann archived the room')
    await done('ann', 'archive yard off')
    await done('ann', 'say yard x')
  })

  test('deleted, after it was asked twice, all of it is in a file, and a room of its name knows nothing of it', async () => {
    await using session = await stage.open('bob', '-tt')
    await session.waitFor(/[-─] lobby/)
    session.write('/join yard\r')
    await session.waitFor(/[-─] yard/)
    expect((await run('bob', 'delete yard')).stderr).toContain('only the owner of yard or an admin')
    const first = await run('ann', 'delete yard')
    expect(first.exitCode).toBe(1)
    expect(first.stderr).toContain('To do it: delete yard again within a minute')
    expect((await run('ann', 'delete yard cave')).exitCode).toBe(2)
    const said = await done('ann', 'delete yard yard')
    await session.waitFor('ann deleted yard')
    expect(said + session.output()).not.toContain(stage.server.dataDir)
    const name = /all of it is in ([^/]+); an admin finds it in the server's exports directory\n$/.exec(
      said,
    )![1]!
    const file = join(stage.server.dataDir, 'exports', name)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const kept = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text: string })
    expect(kept.map(({ text }) => text)).toEqual(expect.arrayContaining(['thanks', 'ann deleted the room']))
    expect((await run('bob', 'history yard')).stderr).toContain('there is no room called yard')
    expect((await stage.entries('bob', 'lobby')).map(({ text }) => text)).toContain(
      'ann deleted the room yard',
    )
    await done('mallory', 'create yard')
    expect(await done('mallory', 'history yard')).toBe('')
    expect((await run('mallory', 'search yard thanks')).stdout).toContain('nothing here has')
  })
})
