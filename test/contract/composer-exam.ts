import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createComposer } from '../../src/wrap/lua/composer.ts'
import type { EngineName } from '../../src/wrap/lua/engines.ts'
import { paths } from '../../src/base/paths.ts'
import { WrapError, type Composer } from '../../src/wrap/ports.ts'
import type { Snapshot } from '../../src/wrap/snapshot.ts'
import { memoryLog } from '../support/chat-parts.ts'
import { messages, sampleSnapshot, snapshotFor } from '../support/snapshot.ts'

/** A snapshot of a room with this script. */
const scripted = (room: string, source: string): Snapshot => ({
  ...sampleSnapshot({ history: messages(3) }),
  room: { ...sampleSnapshot().room, name: room },
  script: { source, version: 1 },
})

const SYSTEM_ONLY = 'function default_wrap() return wrap():system() end'

/** Opens a composer on wrap processes with an engine. */
export const poolOf = (engine: EngineName) => (): Composer =>
  createComposer({ entry: paths.wrapProcess, packageRoot: paths.root, engine, log: memoryLog() })

/** What every `Composer` must do; run with each of them. */
export function composerExam(name: string, open: () => Composer | Promise<Composer>): void {
  describe(`the composer ${name}`, () => {
    let composer: Composer
    beforeAll(async () => {
      composer = await open()
    })
    afterAll(() => composer[Symbol.asyncDispose]())

    test('a composer makes the same prompt of the same snapshot, within its target', async () => {
      const snapshot = sampleSnapshot({ history: messages(40) })
      const [one, two] = await Promise.all([composer.compose(snapshot), composer.compose(snapshot)])
      expect(one).toEqual(two)
      expect(one.context).toContain('bob: message number 39')
      expect(one.budget.used).toBeGreaterThan(300)
      expect(one.budget.used).toBeLessThanOrEqual(one.budget.target)
    })

    test('a composer uses the script of a room only for that room', async () => {
      const own = await composer.compose(scripted('den', SYSTEM_ONLY))
      expect(own.layers.map((layer) => layer.name)).toEqual(['system'])
      expect((await composer.compose(sampleSnapshot())).layers.length).toBeGreaterThan(1)
    })

    test.each([
      ['does not compile', 'x = = 1', 'script', 'script:1: unexpected symbol'],
      ['fails', 'function default_wrap()\n  return nothing.at_all\nend', 'script', 'script:2: '],
      ['never ends', 'function default_wrap() while true do end end', 'limit', ''],
    ])(
      'a composer refuses a script that %s and composes other rooms',
      async (_what, source, reason, message) => {
        const [failed, other] = await Promise.all([
          failureOf(composer.compose(scripted('den', source))),
          composer.compose(sampleSnapshot()),
        ])
        expect(failed.reason).toBe(reason)
        expect(failed.message).toContain(message)
        expect(other.layers.length).toBeGreaterThan(1)
      },
    )

    test('a composer refuses a prompt whose required layers do not fit', async () => {
      expect(await failureOf(composer.compose(snapshotFor(20)))).toMatchObject({ reason: 'budget' })
    })

    test('a composer rejects with the reason of an aborted signal', async () => {
      const reason = new Error('nobody waits any more')
      await expect(composer.compose(sampleSnapshot(), AbortSignal.abort(reason))).rejects.toBe(reason)
    })

    test('a composer checks a script without keeping it', async () => {
      await composer.check(SYSTEM_ONLY, sampleSnapshot())
      const failed = await failureOf(composer.check('x = = 1', sampleSnapshot()))
      expect(failed).toMatchObject({ reason: 'script' })
      expect((await composer.compose(sampleSnapshot())).layers.length).toBeGreaterThan(1)
    })

    test('a composer runs a hook of a room and refuses one that fails or never ends', async () => {
      const hook = (source: string) =>
        composer.runHook({
          name: 'on_message',
          script: { source, version: 1 },
          author: 'ann',
          argument: { text: 'hi' },
          now: 5,
          room: { name: 'den', topic: '', vibe: '', private: false, todo: [], values: { a: 1 } },
        })
      expect(
        await hook(`function on_message(entry)
          tools.room_kv_set("b", { entry.text, tools.now(), tools.room_kv_get("a") })
          tools.room_kv_set("a", nil)
          tools.log("info", "seen")
        end`),
      ).toEqual({
        values: [
          ['b', ['hi', 5, 1]],
          ['a', null],
        ],
        log: ['info: seen'],
      })
      expect(await failureOf(hook('function on_message(entry)\n  return entry.x.y\nend'))).toMatchObject({
        reason: 'script',
        message: expect.stringContaining('script:2: ') as string,
      })
      expect(await failureOf(hook('function on_message() while true do end end'))).toMatchObject({
        reason: 'limit',
      })
      expect(await hook('')).toEqual({ values: [], log: [] })
    })

    test('a composer counts the tokens of texts and refuses an unknown encoding', async () => {
      expect(await composer.count('o200k_base', ['hello world', '', '<|endoftext|>'])).toEqual([2, 0, 7])
      expect(await composer.count('cl100k_base', [])).toEqual([])
      expect(await failureOf(composer.count('nope', ['x']))).toMatchObject({ reason: 'argument' })
    })
  })
}

async function failureOf(attempt: Promise<unknown>): Promise<WrapError> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof WrapError) return error
  throw new Error(`not refused with a WrapError: ${String(error)}`)
}
