import { describe, expect, test } from 'vitest'
import { createCluster } from '../support/cluster.ts'
import { lacks } from '../support/needs.ts'
import { sendTo } from '../support/postgres/send-to.ts'

const COUNT = 6
const numbers = Array.from({ length: COUNT }, (_, index) => index + 1)

/** Reminders of ann in the lobby, all due at the same time. */
const remindersAt = (at: number): string =>
  `INSERT INTO routines (id, room, number, kind, person, text, condition, zone, at, state, reason, next_at,
     failures, seen_at, spent, spent_day)
   SELECT 'r' || n, 'lobby', n, 'once', id, 'line ' || n, '{"kind":"once","at":${at}}', 'UTC', ${at}, 'active', '',
     ${at}, 0, ${at}, 0, 0
   FROM people, (VALUES ${numbers.map((n) => `(${n})`).join(', ')}) AS numbered (n) WHERE name = 'ann'`

describe.skipIf(lacks('postgres'))('two servers on one database', () => {
  test('each reminder is posted once even if a server is killed when the reminders are due', async () => {
    await using stage = await createCluster({ servers: 2 })
    const ask = async (statement: string) => await sendTo(stage.database.url, statement)
    await stage.done(0, 'ann', 'whoami')
    await ask(remindersAt(Date.now() + 3_000))
    // Servers that start read what is due.
    await Promise.all([stage.restart(0, 'SIGTERM'), stage.restart(1, 'SIGTERM')])
    await using watching = await stage.inLobby(1, 'bob')
    await watching.waitFor(/line \d/)
    await stage.servers[0]?.stop('SIGKILL')
    await stage.servers[1]?.stop('SIGTERM')
    // What is still claimed was claimed by the killed server; its claims lapse after two minutes.
    await ask('UPDATE routines SET claim_until = 1 WHERE claimed_by IS NOT NULL')
    await stage.start(0)
    const open = async (): Promise<number> =>
      (await ask("SELECT 1 AS one FROM routines WHERE state <> 'ended'")).length
    await expect.poll(open, { timeout: 40_000 }).toBe(0)
    const log = await stage.done(0, 'ann', 'history lobby --json')
    const said = log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; text: string; routine?: number })
      .filter(({ kind, text }) => kind === 'message' && text.startsWith('line'))
    expect(said.map(({ text }) => text).toSorted()).toEqual(numbers.map((n) => `line ${n}`))
    expect(said.map(({ routine }) => `line ${routine}`)).toEqual(said.map(({ text }) => text))
  }, 120_000)
})
