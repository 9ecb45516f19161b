import { readFile } from 'node:fs/promises'
import { Client } from 'ssh2'
import { test } from 'vitest'
import { createStage, type Stage } from '../support/stage.ts'
import { median, race, report } from './measure.ts'

const ROUNDS = { rounds: 120, warmup: 10 }

/** No delays: what is looked for is what a name costs. */
const CONFIG = '[server]\naccess = "invite"\n[limits]\naddress_burst = 1000000\n'

test('how long a stranger waits for a refusal, for names that exist and names that do not', async () => {
  await using stage = await createStage({ config: CONFIG })
  await stage.claim('boss')
  const privateKey = await readFile(await stage.home.key('stranger'), 'utf8')
  const ask = (name: string, code = '') => refusal(stage, `${name}${code}`, privateKey)
  const contenders = {
    'a name that exists': () => ask('boss'),
    'a name that does not': () => ask('nobo'),
    'the same, once more': () => ask('nobo'),
    'a reserved name': () => ask('all'),
    'exists, with a wrong code': () => ask('boss', '+AAAA-BBBB-CCCC-DDDD'),
    'does not, with a wrong code': () => ask('nobo', '+AAAA-BBBB-CCCC-DDDD'),
  }
  const waits: Record<string, number[]> = Object.fromEntries(
    Object.keys(contenders).map((name) => [name, []]),
  )
  let round = 0
  await race(
    Object.fromEntries(
      Object.entries(contenders).map(([name, work]) => [
        name,
        async () => {
          const ms = await work()
          if (round++ >= ROUNDS.warmup * Object.keys(contenders).length) waits[name]?.push(ms)
        },
      ]),
    ),
    ROUNDS,
  )
  const usual = waits['a name that does not'] ?? []
  report(`ms from a stranger's signed key to the answer, ${ROUNDS.rounds} of each`, [
    ['', 'median', 'mean', 'standard error', 'difference of means / its standard error'],
    ...Object.entries(waits).map(
      ([name, ms]) => [name, median(ms), mean(ms), error(ms), score(ms, usual)] as const,
    ),
  ])
})

/** Milliseconds from the offer of a key to the answer that it alone is not enough. */
async function refusal({ server }: Stage, username: string, privateKey: string): Promise<number> {
  const client = new Client()
  return await new Promise((resolve, reject) => {
    let sent: number | undefined
    client.on('error', (error) => (sent === undefined ? reject(error) : undefined))
    client.connect({
      host: '127.0.0.1',
      port: server.port,
      username,
      authHandler: (_methods, _partial, next) => {
        if (sent !== undefined) {
          resolve(performance.now() - sent)
          client.destroy()
          return
        }
        sent = performance.now()
        next({ type: 'publickey', username, key: privateKey })
      },
    })
  })
}

const mean = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length

/** The standard error of the mean, without the slowest and the quickest twentieth: the machine does other things too. */
function error(all: readonly number[]): number {
  const middle = trimmed(all)
  const average = mean(middle)
  const variance = middle.reduce((sum, one) => sum + (one - average) ** 2, 0) / (middle.length - 1)
  return Math.sqrt(variance / middle.length)
}

const trimmed = (all: readonly number[]): readonly number[] => {
  const cut = Math.floor(all.length / 20)
  return all.toSorted((a, b) => a - b).slice(cut, all.length - cut)
}

/** Beyond 2 or so in several runs, the two would differ by more than chance. */
const score = (some: readonly number[], others: readonly number[]): number =>
  some === others ? 0 : (mean(trimmed(some)) - mean(trimmed(others))) / Math.hypot(error(some), error(others))
