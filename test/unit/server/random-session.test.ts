import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { LOOKS } from '../../support/looks.ts'
import { acts, createSaid, createTypist, isShown, windows } from '../../support/random-sessions.ts'
import { runs } from '../../support/runs.ts'
import { createSessionStage, type WholeSession } from '../../support/whole-sessions.ts'

// Frames and replies come when a test lets time go on; the store's setImmediate stays real.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Lets time go on, a little at a time, until this is done: the emulator takes what is written a moment later. */
async function during(work: Promise<void>): Promise<void> {
  const doing = { isOver: false }
  const working = work.finally(() => (doing.isOver = true))
  while (!doing.isOver) {
    vi.advanceTimersByTime(1)
    await new Promise(setImmediate)
  }
  await working
}

/** Lets the session do what falls due in so many ms. */
async function pass(session: WholeSession, ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await new Promise(setImmediate)
  await during(session.show())
}

/** What is not so by then will not be so, in real ms. */
const PATIENCE_MS = 20_000

async function until(isSo: () => boolean, what: () => string, session: WholeSession): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`${what()} was not seen:\n${session.emulator.all().join('\n')}`)
    await pass(session, 20)
  }
}

test('a random session shows only drafts that were typed, and in the end every line once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('dark', 'light', 'mono'),
      windows,
      acts,
      async (look, size, happening) => {
        await using stage = await createSessionStage({})
        const said = createSaid(stage.lobby)
        const zoe = await stage.world.turnWorld.chatParts.person('zoe')
        await using session = stage.open(zoe, size, LOOKS[look])
        const { emulator } = session
        const typist = createTypist()
        let wasResized = false
        await until(
          () => emulator.screen().some((row) => row.startsWith('lobby · 1 here · @qwen')),
          () => 'the first screen',
          session,
        )
        const torn: string[] = []
        session.look(() => typist.mayShow(emulator) || torn.push(emulator.screen().join('\n')))
        const settle = (): Promise<void> =>
          until(
            () => isShown(typist.now(), emulator),
            () => `the draft "${typist.now().text}"`,
            session,
          )
        for (const act of happening) {
          switch (act.type) {
            case 'keys':
              if (typist.type(act.bytes)) session.terminal.type(act.bytes)
              break
            case 'says':
              await said.say(act.text)
              break
            case 'writes':
              said.write(act.model, act.piece)
              break
            case 'ends':
              await said.end(act.model)
              break
            case 'resize':
              wasResized = true
              await during(session.resize(act.columns, act.rows))
              break
            case 'time':
              await pass(session, act.ms)
              break
            case 'settles':
              await settle()
          }
        }
        await said.end(0)
        await said.end(1)
        await said.say('the end')
        await settle()
        await until(
          () => said.missing(emulator, wasResized) === undefined,
          () => said.missing(emulator, wasResized) ?? '',
          session,
        )
        expect(torn).toEqual([])
      },
    ),
    // What is never seen takes long to fail, so nothing is made smaller: the seed of the run and the path repeat it.
    { numRuns: runs(200), endOnFailure: true },
  )
})
