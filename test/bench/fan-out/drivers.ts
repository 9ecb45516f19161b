import { once } from 'node:events'
import type { ChildProcess } from 'node:child_process'
import { startChild } from '../../support/load/typescript-child.ts'
import { nowUs } from '../../support/load/tokens.ts'
import type { Arrival, Connected, ConnectRequest, Reply, Request, Spoken } from './messages.ts'

/** Load drivers that act as one: the clients of a contender, spread over one or more processes. */
export interface Drivers extends AsyncDisposable {
  /** Lets a few clients in and out again, so that neither side does anything for the first time afterwards. */
  warmUp(ports: readonly number[], prompt: RegExp): Promise<void>
  /** Logs in so many more clients at these ports in turn, eight at once; rejects when one of them is not let in. */
  connect(ports: readonly number[], clients: number, prompt: RegExp): Promise<Connected>
  /** Lets the first `speakers` clients say `rate` lines a second in all for `seconds`. */
  speak(what: { readonly speakers: number; readonly rate: number; readonly seconds: number }): Promise<Round>
}

/** What all drivers saw of one stretch of talk. */
export interface Round extends Spoken {
  /** Lines that were said: so many, from the number `first` on, by so many people in turns. */
  readonly lines: number
  readonly first: number
  readonly speakers: number
  /** How many times a line was to appear on a screen other than its speaker's. */
  readonly expected: number
  /** From the first line to the last delivery. */
  readonly tookMs: number
}

const LOGINS_AT_ONCE = 8
const WARM_UP_ROUNDS = 4

const peopleAt = (ports: readonly number[], from: number, count: number): Arrival[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `u${from + at}`,
    port: ports[(from + at) % ports.length] ?? 0,
  }))

/** Time for every driver to be told before the first line is due. */
const LEAD_US = 100_000

/** Starts so many driver processes. */
export async function startDrivers(processes: number): Promise<Drivers> {
  const children = await Promise.all(
    Array.from({ length: processes }, () => startChild(new URL('driver.ts', import.meta.url))),
  )
  const all = <T>(request: (at: number) => Request, pick: (reply: Reply) => T | undefined): Promise<T[]> =>
    Promise.all(children.map(({ child }, at) => ask(child, request(at), pick)))
  async function connectAll(
    everybody: readonly Arrival[],
    how: Pick<ConnectRequest, 'prompt' | 'stay'>,
  ): Promise<Connected> {
    const parts = await all(
      (at) => ({
        type: 'connect',
        ...how,
        people: everybody.filter((_, index) => index % processes === at),
        atOnce: Math.ceil(LOGINS_AT_ONCE / processes),
      }),
      (reply) => (reply.type === 'connected' ? reply.connected : undefined),
    )
    return {
      startUs: Math.min(...parts.map(({ startUs }) => startUs)),
      endUs: Math.max(...parts.map(({ endUs }) => endUs)),
      promptMs: parts.flatMap(({ promptMs }) => promptMs),
    }
  }
  const names: string[] = []
  let said = 0
  return {
    async warmUp(ports, prompt) {
      for (let round = 0; round < WARM_UP_ROUNDS; round += 1)
        await connectAll(peopleAt(ports, 0, LOGINS_AT_ONCE), { prompt, stay: false })
    },
    connect(ports, clients, prompt) {
      const people = peopleAt(ports, names.length, clients)
      names.push(...people.map(({ name }) => name))
      return connectAll(people, { prompt, stay: true })
    },
    async speak({ speakers, rate, seconds }) {
      const lines = Math.round(rate * seconds)
      const first = said
      said += lines
      const startUs = nowUs() + LEAD_US
      const speaking = names.slice(0, speakers)
      const parts = await all(
        () => ({ type: 'speak', speakers: speaking, first, lines, startUs, everyUs: 1e6 / rate }),
        (reply) => (reply.type === 'spoken' ? reply.spoken : undefined),
      )
      const clients = names.length
      const expected = lines * (clients - 1)
      return { ...merge(parts), lines, first, speakers, expected, tookMs: tookMs(parts, startUs) }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => child[Symbol.asyncDispose]()))
    },
  }
}

async function ask<T>(
  child: ChildProcess,
  request: Request,
  pick: (reply: Reply) => T | undefined,
): Promise<T> {
  const over = new AbortController()
  const answered = once(child, 'message', { signal: over.signal }) as Promise<[Reply]>
  const exited = once(child, 'exit', { signal: over.signal }).then(() => {
    throw new Error('a load driver ended')
  })
  child.send(request)
  const [reply] = await Promise.race([answered, exited]).finally(() => over.abort())
  exited.catch(() => undefined)
  const picked = pick(reply)
  if (picked === undefined)
    throw new Error(reply.type === 'failed' ? reply.message : `not asked: ${reply.type}`)
  return picked
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

const tookMs = (parts: readonly Spoken[], startUs: number): number =>
  (Math.max(...parts.map(({ lastUs }) => lastUs)) - startUs) / 1000
