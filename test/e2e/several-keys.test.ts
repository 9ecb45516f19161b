import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAskpass, type Askpass } from '../support/askpass.ts'
import type { AnyServer } from '../support/server.ts'
import { ssh } from '../support/ssh.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
let askpass: Askpass
beforeAll(async () => {
  stage = await createStageHere({ config: '[server]\naccess = "open"\n' })
  askpass = await createAskpass(stage.dir)
  await stage.as('ann', ['whoami'], { key: 'mine' })
})
afterAll(() => stage[Symbol.asyncDispose]())

/** `ssh -i KEY… NAME@server whoami`, of a script or of a client that would answer questions. */
async function whoami(name: string, keys: readonly string[], how: 'script' | 'person'): Promise<string> {
  const { options, env } = askpass.answering('no code')
  const files = await Promise.all(keys.map((key) => stage.home.key(key)))
  const result = await ssh(
    {
      user: name,
      port: stage.server.port,
      key: files.at(-1)!,
      options: [...files.slice(0, -1).flatMap((file) => ['-i', file]), ...(how === 'person' ? options : [])],
      ...(how === 'person' ? { env } : {}),
    },
    ['whoami'],
  )
  return result.stdout
}

test.each(['script', 'person'] as const)(
  'an owner whose client offers other keys first comes in by name (%s)',
  async (how) => {
    expect(await whoami('ann', ['other', 'mine'], how)).toBe('ann (member)\n')
    expect(await whoami('ann', ['mine', 'other'], how)).toBe('ann (member)\n')
    expect(await whoami('ann', ['other', 'third', 'mine', 'fourth'], how)).toBe('ann (member)\n')
  },
)

test.each(['script', 'person'] as const)(
  'a client without the key of the owner comes in as a guest, unasked (%s)',
  async (how) => {
    expect(await whoami('ann', ['other'], how)).toMatch(/^ann-\d{3} \(guest\)\n$/)
    expect(await whoami('ann', ['other', 'third'], how)).toMatch(/^ann-\d{3} \(guest\)\n$/)
    expect(await askpass.asked()).toBe('')
  },
)

test('a free name is registered to the first key that the client offers', async () => {
  expect(await whoami('bob', ['bobs', 'mine'], 'script')).toBe('bob (member)\n')
  expect(await whoami('bob', ['bobs'], 'script')).toBe('bob (member)\n')
  expect(await whoami('bob', ['mine'], 'script')).toMatch(/guest/)
})
