import fc from 'fast-check'
import { expect, test } from 'vitest'
import { trialSnapshot } from '../../../src/server/operator/trial-snapshot.ts'
import { StorageError } from '../../../src/words/errors.ts'
import { NO_LOG } from '../../../src/wrap/embedding/context.ts'
import {
  factorNow,
  calibrationKey,
  Calibrations,
  learn,
  learnRefusal,
  type TokenReport,
} from '../../../src/wrap/calibration.ts'
import { promptBudget } from '../../../src/wrap/compose-prompt.ts'
import type { Calibration } from '../../../src/wrap/ports.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { openInMemory } from '../../support/storage.ts'
import { BACKENDS, PROVIDERS } from '../../../src/models/providers.ts'
import type { JsonSchema } from '../../../src/base/json.ts'
import { definitionTokens } from '../../../src/wrap/scope/tool-definitions.ts'
import { tokenCounters } from '../../support/token-counters.ts'

const size = { counted: 1000, framing: 0 }

test('a calibration applies only to the same model, server and encoding', async () => {
  const { calibrations: store } = (await openInMemory()).models
  const clock = { now: () => 7 }
  const log = NO_LOG
  const qwen = sampleConfig({})
  const told = { input: 1300, output: 5 }
  const calibrations = new Calibrations(store, clock, log)
  await calibrations.learnFrom(qwen, size, told)
  await calibrations.learnFrom(qwen, size, undefined)
  expect(await store.find(calibrationKey(qwen))).toEqual({
    ...{ factor: 1.3, reports: 1, doubted: 0, at: 7, most: 1, mostAt: 0 },
  })
  expect(await calibrations.budgetFactor(qwen)).toBe(1.3)
  expect(await calibrations.budgetFactor({ ...qwen, name: 'alias' })).toBe(1.3)
  for (const other of [
    { model: 'x' },
    { backend: 'openai' as const },
    { encoding: 'cl100k_base' },
    { endpoint: 'http://elsewhere:8000' },
  ]) {
    expect(await calibrations.budgetFactor({ ...qwen, ...other })).toBe(1.25)
  }
})

test.each([500, 1000, 5000])(
  'a report of %d tokens for a request with a picture changes nothing',
  async (input) => {
    const { calibrations: store } = (await openInMemory()).models
    const calibrations = new Calibrations(store, { now: () => 7 }, NO_LOG)
    const qwen = sampleConfig({})
    await calibrations.learnFrom(qwen, { ...size, pictures: 400 }, { input, output: 5 })
    expect(await calibrations.find(qwen)).toBeUndefined()
  },
)

test('fifty simultaneous calibration reports are all counted', async () => {
  await using storage = await openInMemory()
  const log = NO_LOG
  const calibrations = new Calibrations(storage.models.calibrations, { now: () => 7 }, log)
  const report = () => calibrations.learnFrom(sampleConfig({}), size, { input: 1300, output: 5 })
  await Promise.all(Array.from({ length: 50 }, report))
  expect(await calibrations.find(sampleConfig({}))).toMatchObject({ reports: 50 })
})

test('a calibration that cannot be stored is logged and does not disturb the turn', async () => {
  const told: string[] = []
  const log = { debug: (_: object, text: string) => void told.push(text), info() {}, warn() {}, error() {} }
  const full = () => Promise.reject(new StorageError('full', 'the disk is full'))
  const calibrations = new Calibrations({ find: full, put: full }, { now: () => 7 }, log)
  await calibrations.learnFrom(sampleConfig({}), size, { input: 1300, output: 5 })
  expect(told).toEqual(['a calibration could not be stored'])
})

test('suspiciously low token reports are logged once', async () => {
  await using storage = await openInMemory()
  const told: string[] = []
  const log = { debug() {}, info() {}, warn: (_: object, text: string) => void told.push(text), error() {} }
  const calibrations = new Calibrations(storage.models.calibrations, { now: () => 7 }, log)
  const model = sampleConfig({})
  for (const counted of [1000, 2000, 3000])
    await calibrations.learnFrom(model, { counted, framing: 0 }, { input: 900, output: 5 })
  expect(told).toEqual([expect.stringContaining('look cut off')])
  expect(await calibrations.find(model)).toMatchObject({ reports: 1, doubted: 2 })
  expect(await calibrations.budgetFactor(model)).toBeGreaterThanOrEqual(1)
})

const report = (ratio: number, counted = 1000, framing = 0): TokenReport => ({
  ...{ counted, framing, room: 100_000, at: 7 },
  reported: counted * ratio,
})

/** What is known after reports for prompts of growing length. */
const after = (ratios: readonly number[], assumed = 1): Calibration | undefined =>
  ratios.reduce<Calibration | undefined>(
    (known, ratio, index) => learn(known, report(ratio, 1000 + index), assumed),
    undefined,
  )

test('the calibration factor approaches the reported ratio within a few reports', () => {
  expect(after([1.3])).toEqual({ factor: 1.1, reports: 1, doubted: 0, at: 7, most: 1, mostAt: 0 })
  expect(after([1.3, 1.3, 1.3])!.factor).toBeGreaterThan(1.22)
  expect(after(Array.from({ length: 20 }, () => 1.3))!.factor).toBeCloseTo(1.3, 2)
})

test('reports lower an assumed factor to the real ratio, but never below 1', () => {
  expect(
    after(
      Array.from({ length: 20 }, () => 1.1),
      1.25,
    )!.factor,
  ).toBeCloseTo(1.1, 2)
  expect(
    after(
      Array.from({ length: 50 }, () => 0.8),
      1.25,
    )!.factor,
  ).toBeCloseTo(1, 4)
})

const anyReport = fc.record({
  counted: fc.double(),
  framing: fc.double(),
  reported: fc.double(),
  room: fc.double(),
  at: fc.nat(),
})

test('the calibration factor stays between 1 and 12 for any reports', () => {
  expect(after(Array.from({ length: 100 }, () => 3.9))!.factor).toBeCloseTo(3.9, 1)
  fc.assert(
    fc.property(
      fc.array(anyReport, { maxLength: 50 }),
      fc.double({ min: 1, max: 1.5, noNaN: true }),
      (reports, assumed) => {
        let known: Calibration | undefined
        for (const one of reports) known = learn(known, one, assumed)
        if (known === undefined) return
        expect(known.factor).toBeGreaterThanOrEqual(1)
        expect(known.factor).toBeLessThanOrEqual(12)
        expect(known.most).toBeGreaterThanOrEqual(1)
        expect(known.most).toBeLessThanOrEqual(12)
      },
    ),
  )
})

test('the target plus the answer never exceeds the window for any reports and refusals', () => {
  const event = fc.oneof(
    anyReport.map((one) => ({ type: 'report' as const, one })),
    fc.record({ type: fc.constant('refusal' as const), counted: fc.nat(100_000), tokens: fc.nat(300_000) }),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 2000, max: 200_000 }),
      fc.double({ min: 0.01, max: 0.5, noNaN: true }),
      fc.array(event, { maxLength: 30 }),
      (contextWindow, share, events) => {
        const maxOutput = Math.ceil(contextWindow * share)
        let known: Calibration | undefined
        for (const one of events) {
          known =
            one.type === 'report' ? learn(known, one.one, 1.25) : learnRefusal(known, { ...one, at: 1 }, 1.25)
        }
        const calibration = known ? factorNow(known, 1) : 1.25
        const target = promptBudget({ ...trialSnapshot().model, contextWindow, maxOutput, calibration })
        expect(target + maxOutput).toBeLessThanOrEqual(contextWindow)
        expect(target).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})

test('one odd report changes the calibration factor by at most a tenth', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.8, max: 4, noNaN: true }), { minLength: 1, maxLength: 30 }),
      fc.double({ noNaN: false }),
      (usual, odd) => {
        const before = after(usual)!
        const then = learn(before, report(odd), 1)!
        expect(Math.abs(then.factor - before.factor)).toBeLessThanOrEqual(0.1 + 1e-9)
      },
    ),
  )
  const settled = after(Array.from({ length: 30 }, () => 1))!
  expect(learn(settled, report(4), 1)!.factor).toBeCloseTo(1.1, 5)
})

test.each([
  ['nothing', 0],
  ['less than nothing', -1],
  ['what is no number', NaN],
  ['without end', Infinity],
  ['a whole day', 40],
])('a calibration report of %s changes nothing', (_what, ratio) => {
  const known = after([1.2])
  expect(learn(known, report(ratio), 1)).toBe(known)
  expect(learn(undefined, report(ratio), 1)).toBeUndefined()
})

test('a report of far fewer tokens than the text has is doubted and does not change the factor', () => {
  const known = after([1.2])
  expect(learn(known, report(0.5), 1)).toEqual({ ...known, doubted: 1 })
  expect(learn(undefined, report(0.1), 1.25)).toMatchObject({ factor: 1.25, reports: 0 })
})

test('a report without the expected framing tokens is not doubted', () => {
  const learned = { factor: 1, reports: 1, doubted: 0, at: 7, most: 1, mostAt: 0 }
  expect(learn(undefined, report(0.5, 1000, 400), 1)).toEqual(learned)
})

test('a prompt that consists mostly of framing does not change the calibration', () => {
  expect(learn(undefined, report(1.9, 20), 1)).toBeUndefined()
  expect(learn(undefined, { counted: 0, framing: 0, reported: 10, room: 20, at: 7 }, 1)).toBeUndefined()
})

test('the next prompt fits after a refusal that states the prompt length', () => {
  const refusal = fc.record({
    room: fc.integer({ min: 1000, max: 190_000 }),
    fill: fc.double({ min: 0.5, max: 1, noNaN: true }),
    density: fc.double({ min: 1, max: 3.5, noNaN: true }),
  })
  fc.assert(
    fc.property(refusal, ({ room, fill, density }) => {
      const counted = Math.floor(room * fill)
      const tokens = Math.ceil(counted * density)
      fc.pre(tokens > room)
      const { factor } = learnRefusal(undefined, { counted, tokens, at: 1 }, 1)!
      const target = Math.floor(room / factor)
      expect(target).toBeLessThan(counted)
      expect(target * density).toBeLessThanOrEqual(room)
    }),
  )
})

test('a refusal with an impossible token count changes nothing', () => {
  const known = after([1.2])
  for (const tokens of [1e9, NaN])
    expect(learnRefusal(known, { counted: 1000, tokens, at: 1 }, 1)).toBe(known)
  expect(learnRefusal(undefined, { counted: 10, tokens: 30, at: 1 }, 1)).toBeUndefined()
})

/** Prompts of one provider, each with its own mixture of text and tools: what it counts for each of our tokens. */
const history = fc.record({
  room: fc.integer({ min: 1500, max: 190_000 }),
  prompts: fc.array(
    fc.record({
      ratio: fc.double({ min: 1, max: 2, noNaN: true }),
      fill: fc.double({ min: 0.1, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 40 },
  ),
})

test('a prompt as dense as a refused one always fits afterwards, whatever is reported in between', () => {
  fc.assert(
    fc.property(history, ({ room, prompts }) => {
      let known: Calibration | undefined
      let refused = 1
      for (const [index, { ratio, fill }] of prompts.entries()) {
        const factor = known ? factorNow(known, index) : 1
        const counted = Math.floor((room / factor) * fill)
        const tokens = Math.floor(counted * ratio)
        if (ratio <= refused) expect(tokens).toBeLessThanOrEqual(room)
        if (counted < 100) continue
        if (tokens > room) {
          refused = Math.max(refused, ratio)
          known = learnRefusal(known, { counted, tokens, at: index }, 1)
        } else known = learn(known, { counted, framing: 0, reported: tokens, room, at: index }, 1)
      }
    }),
  )
})

test('a first report does not remove the margin that was learned from a refusal', () => {
  const refused = learnRefusal(undefined, { counted: 5670, tokens: 7436, at: 1 }, 1)
  const calibration = learn(refused, { counted: 4500, framing: 0, reported: 5880, room: 6144, at: 2 }, 1)
  expect(factorNow(calibration!, 3)).toBeCloseTo((7436 / 5670) * 1.03, 5)
})

test('the next prompt fits after one report of an overlong prompt that was accepted', () => {
  const calibration = learn(undefined, { counted: 6000, framing: 0, reported: 9600, room: 6144, at: 2 }, 1.25)
  expect(
    promptBudget({
      ...trialSnapshot().model,
      contextWindow: 8192,
      maxOutput: 2048,
      calibration: factorNow(calibration!, 3),
    }) * 1.6,
  ).toBeLessThanOrEqual(6144)
})

test('the highest reported ratio applies for a day, and short prompts are not used for it', () => {
  const day = 24 * 60 * 60 * 1000
  const full = { counted: 4000, framing: 0, reported: 4400, room: 5000, at: 1 }
  const known = learn(undefined, full, 1)!
  expect(factorNow(known, day)).toBeCloseTo(1.111, 5)
  const quiet = learn(known, { ...full, reported: 4000, at: 2 }, 1)!
  expect(quiet.factor).toBeLessThan(1.06)
  expect(factorNow(quiet, day)).toBeCloseTo(1.111, 5)
  expect(factorNow(quiet, day + 2)).toBe(quiet.factor)
  const short = learn(undefined, { ...full, counted: 400, reported: 600 }, 1)!
  expect(short.most).toBe(1)
})

test.each(BACKENDS)('the framing figures for %s name their source and the date', (backend) => {
  const { source, tolerance, factor } = PROVIDERS[backend].framing
  if (backend === 'guide') return expect({ tolerance, factor }).toEqual({ tolerance: 0, factor: 1 })
  expect(source).toMatch(/20\d\d-\d\d$/)
  expect(tolerance).toBeGreaterThan(0)
})

/** Prompt tokens that OpenAI reported for a short system message and one function; openai.ts names the source. */
const reported: readonly (readonly [
  tokens: number,
  system: string,
  name: string,
  does: string,
  parameters: JsonSchema,
])[] = [
  [
    66,
    'You are a bot.',
    'search_sources',
    'Retrieve sources from the Azure AI Search index',
    {
      type: 'object',
      properties: {
        search_query: {
          type: 'string',
          description: "Query string to retrieve documents from azure search eg: 'Health care plan'",
        },
      },
      required: ['search_query'],
    },
  ],
  [
    49,
    'You are a bot.',
    'search_sources',
    'Retrieve sources from the Azure AI Search index',
    { type: 'object', properties: { search_query: { type: 'string' } } },
  ],
  [
    54,
    'You are a bot.',
    'data_demonstration',
    'This is the main function description',
    { type: 'object', properties: { integer_enum: { type: 'integer', enum: [-1, 1] } } },
  ],
]

test.each(reported)(
  'a request that OpenAI counted as %i tokens is never estimated lower',
  (tokens, system, ...tool) => {
    const [name, description, parameters] = tool
    const counter = tokenCounters.of('cl100k_base')
    const { framing } = PROVIDERS.openai
    const ours =
      counter.count(system) +
      definitionTokens({ name, description, parameters }, framing, counter) +
      framing.perRequest +
      framing.perToolset
    expect(ours).toBeGreaterThanOrEqual(tokens)
    expect(ours).toBeLessThan(tokens * 1.5)
  },
)
