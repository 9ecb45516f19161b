import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StorageError } from '../../../src/chat/errors.ts'
import { calibrationKey, createCalibrations, learn } from '../../../src/prompt/calibration.ts'
import type { Calibration } from '../../../src/prompt/ports.ts'
import { sampleConfig } from '../../support/model-request.ts'
import { openInMemory } from '../../support/storage.ts'

const report = (ratio: number, counted = 1000) => ({ counted, reported: counted * ratio, at: 7 })

const after = (ratios: readonly number[]): Calibration | undefined =>
  ratios.reduce<Calibration | undefined>((known, ratio) => learn(known, report(ratio)), undefined)

test('a factor comes near to what the provider reports, within a few reports', () => {
  expect(after([1.3])).toEqual({ factor: 1.1, reports: 1, at: 7 })
  expect(after([1.3, 1.3, 1.3])!.factor).toBeGreaterThan(1.22)
  expect(after(Array.from({ length: 20 }, () => 1.3))!.factor).toBeCloseTo(1.3, 2)
  expect(after(Array.from({ length: 20 }, () => 0.9))!.factor).toBeCloseTo(0.9, 2)
})

test('a factor never leaves its bounds, whatever is reported', () => {
  expect(after(Array.from({ length: 100 }, () => 3.9))!.factor).toBeCloseTo(2, 6)
  expect(after(Array.from({ length: 100 }, () => 0.5))!.factor).toBeCloseTo(0.75, 6)
  fc.assert(
    fc.property(
      fc.array(fc.record({ counted: fc.double(), reported: fc.double(), at: fc.nat() }), { maxLength: 50 }),
      (reports) => {
        const known = reports.reduce<Calibration | undefined>(learn, undefined)
        if (known === undefined) return
        expect(known.factor).toBeGreaterThanOrEqual(0.75)
        expect(known.factor).toBeLessThanOrEqual(2)
      },
    ),
  )
})

test('one odd report moves a factor by a tenth at most', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.5, max: 4, noNaN: true }), { minLength: 1, maxLength: 30 }),
      fc.double({ noNaN: false }),
      (usual, odd) => {
        const before = after(usual)!
        const then = learn(before, report(odd))!
        expect(Math.abs(then.factor - before.factor)).toBeLessThanOrEqual(0.1 + 1e-9)
      },
    ),
  )
  const settled = after(Array.from({ length: 30 }, () => 1))!
  expect(learn(settled, report(4))!.factor).toBeCloseTo(1.1, 5)
})

test.each([
  ['nothing', 0],
  ['less than nothing', -1],
  ['what is no number', NaN],
  ['without end', Infinity],
  ['only what was not cached', 0.1],
  ['a whole day', 40],
])('a report of %s changes nothing', (_what, ratio) => {
  const known = after([1.2])
  expect(learn(known, report(ratio))).toBe(known)
  expect(learn(undefined, report(ratio))).toBeUndefined()
})

test('a prompt that is hardly more than framing tells nothing', () => {
  expect(learn(undefined, report(1.9, 20))).toBeUndefined()
  expect(learn(undefined, { counted: 0, reported: 10, at: 7 })).toBeUndefined()
})

test('what was learned of a model is for that model of that provider in that encoding only', async () => {
  const { calibrations: store } = await openInMemory()
  const clock = { now: () => 7 }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const qwen = sampleConfig({})
  const told = { input: 1300, output: 5 }
  const calibrations = createCalibrations(store, clock, log)
  await calibrations.learnFrom(qwen, 1000, told)
  await calibrations.learnFrom(qwen, 1000, undefined)
  expect(await store.find(calibrationKey(qwen))).toEqual({ factor: 1.1, reports: 1, at: 7 })
  expect(await calibrations.factorFor(qwen)).toBe(1.1)
  expect(await calibrations.factorFor({ ...qwen, name: 'alias' })).toBe(1.1)
  for (const other of [{ model: 'x' }, { backend: 'openai' as const }, { encoding: 'cl100k_base' }]) {
    expect(await calibrations.factorFor({ ...qwen, ...other })).toBe(1)
  }
})

test('none of many reports at once is lost', async () => {
  await using storage = await openInMemory()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const calibrations = createCalibrations(storage.calibrations, { now: () => 7 }, log)
  const report = () => calibrations.learnFrom(sampleConfig({}), 1000, { input: 1300, output: 5 })
  await Promise.all(Array.from({ length: 50 }, report))
  expect(await calibrations.find(sampleConfig({}))).toMatchObject({ reports: 50 })
})

test('a store that cannot store is no harm to the turn, and the log is told', async () => {
  const told: string[] = []
  const log = { debug: (_: object, text: string) => void told.push(text), info() {}, warn() {}, error() {} }
  const full = () => Promise.reject(new StorageError('full', 'the disk is full'))
  const calibrations = createCalibrations({ find: full, put: full }, { now: () => 7 }, log)
  await calibrations.learnFrom(sampleConfig({}), 1000, { input: 1300, output: 5 })
  expect(told).toEqual(['a calibration could not be stored'])
})
