import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectNothingLost } from '../support/expect-nothing-lost.ts'
import { lacks } from '../support/needs.ts'
import type { OwnServer } from '../support/postgres/own-server.ts'
import { linesInLobby, openTroubledStage, untilReady } from '../support/postgres/troubled-stage.ts'
import type { Stage } from '../support/stage.ts'
import { talkThrough, type TalkReport } from '../support/talk-through.ts'

const repeated = <T>(times: number, one: T): readonly T[] => Array.from({ length: times }, () => one)

describe.skipIf(lacks('postgres'))('a PostgreSQL server while people talk', () => {
  let postgres: OwnServer
  let stage: Stage
  beforeAll(async () => {
    ;({ postgres, stage } = await openTroubledStage())
  })
  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await postgres[Symbol.asyncDispose]()
  })

  /** What was shown is stored; what was refused is not. */
  async function expectKept(
    before: readonly string[],
    { shown, refused, unknown }: TalkReport,
  ): Promise<void> {
    const stored = (await linesInLobby(stage)).slice(before.length)
    expectNothingLost({ shown, stored, damage: undefined })
    expect(refused.filter((line) => stored.includes(line))).toEqual([])
    const seen = new Set(shown.flat())
    expect(stored.filter((line) => !seen.has(line) && !unknown.includes(line))).toEqual([])
  }

  test('that ends connections in the middle of transactions loses nothing that anybody saw', async () => {
    const before = await linesInLobby(stage)
    await expectKept(before, await talkThrough(stage, 'cut', repeated(20, postgres.cutOff)))
  })

  test('that restarts and crashes while people talk loses nothing that anybody saw, and throws nobody out', async () => {
    const before = await linesInLobby(stage)
    const restart = (mode: 'fast' | 'immediate') => async () => {
      await postgres.stop(mode)
      await postgres.start()
    }
    await expectKept(before, await talkThrough(stage, 'restart', [restart('fast'), restart('immediate')]))
    await untilReady(stage)
  })
})
