import fc from 'fast-check'
import { expect, test } from 'vitest'
import { budgetFactor, learn, learnRefusal, type TokenReport } from '../../../../src/prompt/calibration.ts'
import type { Calibration } from '../../../../src/prompt/ports.ts'
import { targetOf } from '../../../../src/prompt/compose-prompt.ts'
import { trialSnapshot } from '../../../../src/app/operator/trial-snapshot.ts'

const report = (ratio: number, counted = 1000, framing = 0): TokenReport => ({
  ...{ counted, framing, room: 100_000, at: 7 },
  reported: counted * ratio,
})

/** What is known after reports for prompts of growing length. */
const after = (ratios: readonly number[], assumed = 1): Calibration | undefined =>
  ratios.reduce<Calibration | undefined>(
    (known, ratio, index) => learn(known, report(ratio, 1000 + index), { assumed }).calibration,
    undefined,
  )

test('a factor comes near to what the provider reports, within a few reports', () => {
  expect(after([1.3])).toEqual({ factor: 1.1, reports: 1, doubted: 0, at: 7, most: 1, mostAt: 0 })
  expect(after([1.3, 1.3, 1.3])!.factor).toBeGreaterThan(1.22)
  expect(after(Array.from({ length: 20 }, () => 1.3))!.factor).toBeCloseTo(1.3, 2)
})

test('reports take back what a provider was assumed to count, down to our own count and never below', () => {
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

test('a factor never leaves its bounds, whatever is reported', () => {
  expect(after(Array.from({ length: 100 }, () => 3.9))!.factor).toBeCloseTo(3.9, 1)
  fc.assert(
    fc.property(
      fc.array(anyReport, { maxLength: 50 }),
      fc.double({ min: 1, max: 1.5, noNaN: true }),
      (reports, assumed) => {
        let known: Calibration | undefined
        let last: TokenReport | undefined
        for (const one of reports) {
          known = learn(known, one, { assumed, last }).calibration
          last = one
        }
        if (known === undefined) return
        expect(known.factor).toBeGreaterThanOrEqual(1)
        expect(known.factor).toBeLessThanOrEqual(4)
        expect(known.most).toBeGreaterThanOrEqual(1)
        expect(known.most).toBeLessThanOrEqual(4)
      },
    ),
  )
})

test('the target and the answer are never over the window, whatever was reported or refused', () => {
  const event = fc.oneof(
    anyReport.map((one) => ({ type: 'report' as const, one })),
    fc.record({
      type: fc.constant('refusal' as const),
      counted: fc.nat(100_000),
      tokens: fc.nat(300_000),
    }),
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
            one.type === 'report'
              ? learn(known, one.one, { assumed: 1.25 }).calibration
              : learnRefusal(known, { ...one, at: 1 }, 1.25)
        }
        const calibration = known ? budgetFactor(known, 1) : 1.25
        const target = targetOf({ ...trialSnapshot().model, contextWindow, maxOutput, calibration })
        expect(target + maxOutput).toBeLessThanOrEqual(contextWindow)
        expect(target).toBeGreaterThanOrEqual(0)
      },
    ),
  )
})

test('one odd report moves a factor by a tenth at most', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.8, max: 4, noNaN: true }), { minLength: 1, maxLength: 30 }),
      fc.double({ noNaN: false }),
      (usual, odd) => {
        const before = after(usual)!
        const then = learn(before, report(odd), { assumed: 1 }).calibration!
        expect(Math.abs(then.factor - before.factor)).toBeLessThanOrEqual(0.1 + 1e-9)
      },
    ),
  )
  const settled = after(Array.from({ length: 30 }, () => 1))!
  expect(learn(settled, report(4), { assumed: 1 }).calibration!.factor).toBeCloseTo(1.1, 5)
})

test.each([
  ['nothing', 0],
  ['less than nothing', -1],
  ['what is no number', NaN],
  ['without end', Infinity],
  ['a whole day', 40],
])('a report of %s changes nothing', (_what, ratio) => {
  const known = after([1.2])
  expect(learn(known, report(ratio), { assumed: 1 })).toEqual({ calibration: known, doubted: false })
  expect(learn(undefined, report(ratio), { assumed: 1 }).calibration).toBeUndefined()
})

test('a report of far fewer tokens than our text has is doubted, and changes no factor', () => {
  const known = after([1.2])
  const { calibration, doubted } = learn(known, report(0.5), { assumed: 1 })
  expect(doubted).toBe(true)
  expect(calibration).toEqual({ ...known, doubted: 1 })
  expect(learn(undefined, report(0.1), { assumed: 1.25 }).calibration).toMatchObject({
    factor: 1.25,
    reports: 0,
  })
})

test('what we expect a provider to add, and it did not, makes no report doubtful', () => {
  const learned = learn(undefined, report(0.5, 1000, 400), { assumed: 1 })
  const calibration = { factor: 1, reports: 1, doubted: 0, at: 7, most: 1, mostAt: 0 }
  expect(learned).toEqual({ calibration, doubted: false })
})

test('the same report for a prompt that is clearly longer is doubted; for one that is hardly longer it is not', () => {
  const full = { counted: 4000, framing: 0, reported: 4096, room: 100_000, at: 1 }
  const longer = { ...full, counted: 5000 }
  expect(learn(undefined, longer, { assumed: 1, last: full }).doubted).toBe(true)
  expect(learn(undefined, full, { assumed: 1, last: longer }).doubted).toBe(true)
  expect(learn(undefined, { ...full, counted: 4010 }, { assumed: 1, last: full }).doubted).toBe(false)
  expect(learn(undefined, { ...longer, reported: 4097 }, { assumed: 1, last: full }).doubted).toBe(false)
})

test('a prompt that is hardly more than framing tells nothing', () => {
  expect(learn(undefined, report(1.9, 20), { assumed: 1 }).calibration).toBeUndefined()
  expect(
    learn(undefined, { counted: 0, framing: 0, reported: 10, room: 20, at: 7 }, { assumed: 1 }).calibration,
  ).toBeUndefined()
})

test('after a refusal that tells how long the prompt was, the next prompt fits', () => {
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

test('a refusal whose number cannot be the prompt changes nothing', () => {
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

test('what was refused or counted once is never composed again, whatever was reported meanwhile', () => {
  fc.assert(
    fc.property(history, ({ room, prompts }) => {
      let known: Calibration | undefined
      let refused = 1
      for (const [index, { ratio, fill }] of prompts.entries()) {
        const factor = known ? budgetFactor(known, index) : 1
        const counted = Math.floor((room / factor) * fill)
        const tokens = Math.floor(counted * ratio)
        if (ratio <= refused) expect(tokens).toBeLessThanOrEqual(room)
        if (counted < 100) continue
        if (tokens > room) {
          refused = Math.max(refused, ratio)
          known = learnRefusal(known, { counted, tokens, at: index }, 1)
        } else
          known = learn(
            known,
            { counted, framing: 0, reported: tokens, room, at: index },
            { assumed: 1 },
          ).calibration
      }
    }),
  )
})

test('a first report does not take away the margin that a refusal taught', () => {
  const refused = learnRefusal(undefined, { counted: 5670, tokens: 7436, at: 1 }, 1)
  const { calibration } = learn(
    refused,
    { counted: 4500, framing: 0, reported: 5880, room: 6144, at: 2 },
    { assumed: 1 },
  )
  expect(budgetFactor(calibration!, 3)).toBeCloseTo((7436 / 5670) * 1.03, 5)
})

test('after one report of a prompt that was too long, and was let pass, the next prompt fits', () => {
  const { calibration } = learn(
    undefined,
    { counted: 6000, framing: 0, reported: 9600, room: 6144, at: 2 },
    { assumed: 1.25 },
  )
  expect(
    targetOf({
      ...trialSnapshot().model,
      contextWindow: 8192,
      maxOutput: 2048,
      calibration: budgetFactor(calibration!, 3),
    }) * 1.6,
  ).toBeLessThanOrEqual(6144)
})

test('the most that was seen holds for a day; in a short prompt it is not looked for', () => {
  const day = 24 * 60 * 60 * 1000
  const full = { counted: 4000, framing: 0, reported: 4400, room: 5000, at: 1 }
  const known = learn(undefined, full, { assumed: 1 }).calibration!
  expect(budgetFactor(known, day)).toBeCloseTo(1.111, 5)
  const quiet = learn(known, { ...full, reported: 4000, at: 2 }, { assumed: 1 }).calibration!
  expect(quiet.factor).toBeLessThan(1.06)
  expect(budgetFactor(quiet, day)).toBeCloseTo(1.111, 5)
  expect(budgetFactor(quiet, day + 2)).toBe(quiet.factor)
  const short = learn(undefined, { ...full, counted: 400, reported: 600 }, { assumed: 1 }).calibration!
  expect(short.most).toBe(1)
})
