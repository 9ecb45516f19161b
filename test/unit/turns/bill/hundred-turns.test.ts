import { expect, test } from 'vitest'
import { createModel } from '../../../../src/models/providers.ts'
import type { Person } from '../../../../src/words/person.ts'
import type { Room } from '../../../../src/chat/room.ts'
import type { Services } from '../../../../src/commands/verbs/common.ts'
import { usage } from '../../../../src/commands/verbs/usage.ts'
import { DAY_MS } from '../../../../src/base/amounts.ts'
import type { ConfiguredModel } from '../../../../src/wrap/loop/model.ts'
import { startBilledServer, type Report } from '../../../support/billed-servers.ts'
import { recordOutput } from '../../../support/commands/caller.ts'
import { sampleConfig } from '../../../support/model-request.ts'
import { createTurnWorld, tool, type TurnWorld } from '../../../support/turn-world.ts'

/** Prices in millionths per million tokens: before and after the prices changed. */
const PRICES = {
  qwen: [
    { input: 150_000, cached: 18_750, output: 600_000 },
    { input: 175_000, cached: 0, output: 599_999 },
  ],
  opus: [
    { input: 15_000_000, cached: 1_500_000, output: 75_000_000 },
    { input: 1_000_000_000_000, cached: 3, output: 7 },
  ],
  llama: [],
} as const

const BACKENDS = { qwen: 'openai-compatible', opus: 'anthropic', llama: 'ollama' } as const
type Name = keyof typeof BACKENDS

/** One request as its server saw it. */
interface Seen extends Report {
  readonly person: string
  readonly model: Name
  readonly room: string
  readonly day: string
  readonly phase: 0 | 1
}

/** Numbers that look random and are the same in each run: https://en.wikipedia.org/wiki/Lehmer_random_number_generator. */
function createNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => (state = (state * 48_271) % 2_147_483_647) % below
}

/** The turns of three people with three models in two rooms, and what the servers reported. */
async function createScene() {
  const below = createNumbers(20_260_101)
  const seen: Seen[] = []
  let phase: 0 | 1 = 0
  let world: TurnWorld | undefined

  const report = (): Report => {
    const input = 1 + below(9000)
    return { input, cached: 0, output: below(900) }
  }
  async function served(name: Name) {
    const withCache = (): Report => {
      const { input, output } = report()
      return { input, output, cached: name === 'llama' ? 0 : below(input) }
    }
    const server = await startBilledServer(BACKENDS[name], withCache, (body, reported) => {
      const words = [...body.matchAll(/(ann|bob|cat): @\w+ turn \d+ in (\w+)/g)].at(-1)
      const day = new Date(world?.chatParts.clock.now() ?? 0).toISOString().slice(0, 10)
      seen.push({ ...reported, person: words?.[1] ?? '', room: words?.[2] ?? '', model: name, day, phase })
    })
    const base = sampleConfig({ name, backend: BACKENDS[name], endpoint: server.endpoint, apiKey: 'key' })
    const configured: ConfiguredModel = {
      adapter: createModel(base),
      get settings() {
        const price = PRICES[name][phase]
        return { ...base, ...(price ? { price } : {}) }
      },
    }
    return { server, configured }
  }
  const [qwen, opus, llama] = [await served('qwen'), await served('opus'), await served('llama')]
  world = await createTurnWorld(qwen.configured.adapter, {
    settings: { name: 'first', enabled: false },
    more: [qwen.configured, opus.configured, llama.configured],
    tools: [tool('echo')],
  })
  return {
    world,
    seen,
    below,
    changePrices: () => (phase = 1),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      for (const { server } of [qwen, opus, llama]) await server[Symbol.asyncDispose]()
    },
  }
}

async function takeTurn(world: TurnWorld, room: Room, requester: Person, model: string, text: string) {
  const message = await room.record({ kind: 'message', author: requester.name, text: `@${model} ${text}` })
  const turn = await world.turns.start({ room, requester, model, message })
  return await turn.done
}

/** The cost of what servers reported, in 10^-12, by a sum of its own: price by price, token by token. */
function costOf(requests: readonly Seen[]): string | null {
  let sum: bigint | null = null
  for (const { model, phase, input, cached, output } of requests) {
    const price = PRICES[model][phase]
    if (!price) continue
    const parts = [(input - cached) * price.input, cached * price.cached, output * price.output]
    sum = parts.reduce<bigint>((all, one) => all + BigInt(one), sum ?? 0n)
  }
  if (sum === null) return null
  const digits = String(sum).padStart(13, '0')
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '')
}

const sumOf = (requests: readonly Seen[]) => ({
  requests: requests.length,
  input: requests.reduce((all, { input }) => all + input, 0),
  cached: requests.reduce((all, { cached }) => all + cached, 0),
  output: requests.reduce((all, { output }) => all + output, 0),
  cost: costOf(requests),
})

/** What `/usage --json` must say of these requests, by name. */
function expected(seen: readonly Seen[], field: 'model' | 'person' | 'room' | 'day') {
  const keys = [...new Set(seen.map((one) => one[field]))].toSorted()
  return keys.map((key) => ({ [field]: key, ...sumOf(seen.filter((one) => one[field] === key)) }))
}

interface Reported {
  readonly total: { readonly turns: number; readonly cost: string }
  readonly [part: string]: unknown
}

async function usageFor(world: TurnWorld, person: Person, room?: Room): Promise<Reported> {
  const { told, out } = recordOutput()
  // The command reads nothing else.
  const services = { ...world.chatParts, stores: world.chatParts.storage } as unknown as Services
  const command = usage(services)
  const base = { person, out, signal: new AbortController().signal, inBackground() {} }
  if (command.room !== 'optional') throw new Error('the command has changed')
  await command.run({ ...base, room, args: {}, flags: { json: true, days: '30', all: false } })
  return JSON.parse(told.out.join('')) as Reported
}

function expectSums(usage: Reported, seen: readonly Seen[]): void {
  expect(usage.total).toMatchObject(sumOf(seen))
  const lists = { models: 'model', people: 'person', rooms: 'room', days: 'day' } as const
  for (const [list, field] of Object.entries(lists)) {
    const rows = usage[list] as readonly Record<string, string>[]
    const inOrder = rows.toSorted((a, b) => ((a[field] ?? '') < (b[field] ?? '') ? -1 : 1))
    expect(inOrder).toMatchObject(expected(seen, field))
    expect(rows).toHaveLength(expected(seen, field).length)
  }
}

test('/usage shows exactly the tokens and costs that the servers reported for a hundred turns', async () => {
  await using scene = await createScene()
  const { world, seen, below } = scene
  const { rooms, clock, person, storage } = world.chatParts
  const [bob, cat] = [await person('bob'), await person('cat')]
  const den = await rooms.create('den', world.ann, { private: true })
  await storage.chat.rooms.setMembership(den.name, bob.id, 'member')
  const [models, people] = [['qwen', 'opus', 'llama'] as const, [world.ann, bob, cat] as const]

  for (let turn = 0; turn < 100; turn += 4) {
    if (turn === 48) scene.changePrices()
    if (turn % 20 === 0) clock.advance(DAY_MS / 3)
    const side = [0, 1, 2, 3].map(async (index) => {
      const who = people[(turn + index) % 3] ?? cat
      const room = who !== cat && below(2) === 0 ? den : world.room
      const call = below(3) === 0 ? ' with a call' : ''
      const text = `turn ${turn + index} in ${room.name}${call}`
      const last = await takeTurn(world, room, who, models[below(3)] ?? 'qwen', text)
      expect(last).toMatchObject({ kind: 'reply', outcome: 'done', text: 'yes' })
    })
    await Promise.all(side)
  }

  expect(seen.length).toBeGreaterThan(110)
  expect(new Set(seen.map(({ day }) => day)).size).toBeGreaterThan(1)
  const everything = await usageFor(world, world.ann)
  expect(everything.total.turns).toBe(100)
  expect(Number(everything.total.cost)).toBeGreaterThan(1)
  expectSums(everything, seen)
  const inLobby = seen.filter(({ room }) => room === 'lobby')
  expect(inLobby.length).toBeLessThan(seen.length)
  expectSums(await usageFor(world, cat), inLobby)
  expectSums(
    await usageFor(world, bob, den),
    seen.filter(({ room }) => room === 'den'),
  )

  const replies = await Promise.all(
    [world.room, den].map((room) => storage.chat.entries.read(room.name, { limit: 1000, kinds: ['reply'] })),
  )
  const told = replies.flat().map((entry) => (entry.kind === 'reply' ? (entry.usage?.input ?? 0) : 0))
  expect(told.reduce((all, input) => all + input, 0)).toBe(sumOf(seen).input)
})
