import { readFile } from 'node:fs/promises'
import { Client } from 'ssh2'
import { test } from 'vitest'
import { createStage, type Stage } from '../support/stage.ts'
import { median, report } from './measure.ts'

const ROUNDS = 120
const WARM_UP = 10

/** No delays: what is looked for is what a name costs. */
const CONFIG = '[server]\naccess = "invite"\n[limits]\naddress_burst = 1000000\n'

test('how long a stranger waits for a refusal, for names that exist and names that do not', async () => {
  await using stage = await createStage({ config: CONFIG })
  await stage.claim('boss')
  const privateKey = await readFile(await stage.home.key('stranger'), 'utf8')
  const ask = (name: string, code = '') => refusal(stage, `${name}${code}`, privateKey)
  const names: Readonly<Record<string, readonly [name: string, code?: string]>> = {
    'a name that exists': ['boss'],
    'a name that does not': ['nobo'],
    'the same, once more': ['nobo'],
    'a reserved name': ['all'],
    'exists, with a wrong code': ['boss', '+AAAA-BBBB-CCCC-DDDD'],
    'does not, with a wrong code': ['nobo', '+AAAA-BBBB-CCCC-DDDD'],
  }
  const waits = Object.fromEntries(Object.keys(names).map((title) => [title, [] as number[]]))
  for (let round = 0; round < WARM_UP + ROUNDS; round++)
    for (const [title, [name, code]] of Object.entries(names)) {
      const ms = await ask(name, code)
      if (round >= WARM_UP) waits[title]?.push(ms)
    }
  const usual = waits['a name that does not'] ?? []
  report(`ms from a stranger's signed key to the answer, ${ROUNDS} of each`, [
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
