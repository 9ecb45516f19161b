import { nowUs } from '../../support/load/tokens.ts'
import { startChild } from '../../support/load/typescript-child.ts'
import type { Connected, ConnectRequest, Spoken, SpeakRequest } from './driver.ts'

/** Load drivers that act as one: the clients of a contender, spread over one or more processes. */
export type Drivers = Awaited<ReturnType<typeof startDrivers>>

/** What all drivers saw of one stretch of talk. */
export type Round = Awaited<ReturnType<Drivers['speak']>>

const LOGINS_AT_ONCE = 8
const WARM_UP_ROUNDS = 4

const peopleAt = (ports: readonly number[], from: number, count: number): ConnectRequest['people'] =>
  Array.from({ length: count }, (_, at) => ({
    name: `u${from + at}`,
    port: ports[(from + at) % ports.length] ?? 0,
  }))

/** Time for every driver to be told before the first line is due. */
const LEAD_US = 100_000

export async function startDrivers(processes: number) {
  const children = await Promise.all(
    Array.from({ length: processes }, () => startChild(new URL('driver.ts', import.meta.url))),
  )
  const all = <T>(request: (at: number) => ConnectRequest | SpeakRequest): Promise<T[]> =>
    Promise.all(children.map(async ({ ask }, at) => (await ask(request(at))) as T))
  async function connectAll(
    everybody: ConnectRequest['people'],
    how: Pick<ConnectRequest, 'prompt' | 'stay'>,
  ): Promise<Connected> {
    const atOnce = Math.ceil(LOGINS_AT_ONCE / processes)
    const parts = await all<Connected>((at) => ({
      ...{ type: 'connect', ...how, atOnce },
      people: everybody.filter((_, index) => index % processes === at),
    }))
    return {
      startUs: Math.min(...parts.map(({ startUs }) => startUs)),
      endUs: Math.max(...parts.map(({ endUs }) => endUs)),
      promptMs: parts.flatMap(({ promptMs }) => promptMs),
    }
  }
  const names: string[] = []
  let said = 0
  return {
    /** Lets a few clients in and out again, so that neither side does anything for the first time afterwards. */
    async warmUp(ports: readonly number[], prompt: RegExp): Promise<void> {
      for (let round = 0; round < WARM_UP_ROUNDS; round += 1)
        await connectAll(peopleAt(ports, 0, LOGINS_AT_ONCE), { prompt, stay: false })
    },
    /** Logs in more clients at these ports in turn, eight at once; rejects when one is not let in. */
    connect(ports: readonly number[], clients: number, prompt: RegExp): Promise<Connected> {
      const people = peopleAt(ports, names.length, clients)
      names.push(...people.map(({ name }) => name))
      return connectAll(people, { prompt, stay: true })
    },
    /** Lets the first `speakers` clients say `rate` lines a second in all for `seconds`, in turns. */
    async speak({ speakers, rate, seconds }: Readonly<Record<'speakers' | 'rate' | 'seconds', number>>) {
      const lines = Math.round(rate * seconds)
      const first = said
      said += lines
      const startUs = nowUs() + LEAD_US
      const speaking = names.slice(0, speakers)
      const parts = await all<Spoken>(() => ({
        ...{ type: 'speak', speakers: speaking, first, lines, startUs, everyUs: 1e6 / rate },
      }))
      const merged = merge(parts)
      // A line is to appear on each screen other than its speaker's.
      const expected = lines * (names.length - 1)
      return { ...merged, lines, first, speakers, expected, tookMs: (merged.lastUs - startUs) / 1000 }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => child[Symbol.asyncDispose]()))
    },
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const merge = (parts: readonly Spoken[]): Spoken => ({
  screens: parts.flatMap(({ screens }) => screens),
  bytes: sum(parts.map(({ bytes }) => bytes)),
  packets: sum(parts.map(({ packets }) => packets)),
  lastUs: Math.max(...parts.map(({ lastUs }) => lastUs)),
  cpuMs: sum(parts.map(({ cpuMs }) => cpuMs)),
  gone: parts.flatMap(({ gone }) => gone),
})
