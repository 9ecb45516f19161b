import { expect, test } from 'vitest'
import { NO_LOG } from '../../../../src/embedding/context.ts'
import { StorageError } from '../../../../src/chat/errors.ts'
import { calibrationKey, createCalibrations } from '../../../../src/prompt/calibration.ts'
import { sampleConfig } from '../../../support/model-request.ts'
import { openInMemory } from '../../../support/storage.ts'

const noAdmin = (): boolean => false
const size = { counted: 1000, framing: 0 }

test('what was learned of a model is for that model of that server in that encoding only', async () => {
  const { calibrations: store } = (await openInMemory()).models
  const clock = { now: () => 7 }
  const log = NO_LOG
  const qwen = sampleConfig({})
  const told = { input: 1300, output: 5 }
  const calibrations = createCalibrations(store, clock, log, noAdmin)
  await calibrations.learnFrom(qwen, size, told)
  await calibrations.learnFrom(qwen, size, undefined)
  expect(await store.find(calibrationKey(qwen))).toEqual({
    ...{ factor: 1.3, reports: 1, doubted: 0, at: 7, most: 1, mostAt: 0 },
  })
  expect(await calibrations.factorFor(qwen)).toBe(1.3)
  expect(await calibrations.factorFor({ ...qwen, name: 'alias' })).toBe(1.3)
  for (const other of [
    { model: 'x' },
    { backend: 'openai' as const },
    { encoding: 'cl100k_base' },
    { endpoint: 'http://elsewhere:8000' },
  ]) {
    expect(await calibrations.factorFor({ ...qwen, ...other })).toBe(1.25)
  }
})

test('none of many reports at once is lost', async () => {
  await using storage = await openInMemory()
  const log = NO_LOG
  const calibrations = createCalibrations(storage.models.calibrations, { now: () => 7 }, log, noAdmin)
  const report = () => calibrations.learnFrom(sampleConfig({}), size, { input: 1300, output: 5 })
  await Promise.all(Array.from({ length: 50 }, report))
  expect(await calibrations.find(sampleConfig({}))).toMatchObject({ reports: 50 })
})

test('a store that cannot store is no harm to the turn, and the log is told', async () => {
  const told: string[] = []
  const log = { debug: (_: object, text: string) => void told.push(text), info() {}, warn() {}, error() {} }
  const full = () => Promise.reject(new StorageError('full', 'the disk is full'))
  const calibrations = createCalibrations({ find: full, put: full }, { now: () => 7 }, log, noAdmin)
  await calibrations.learnFrom(sampleConfig({}), size, { input: 1300, output: 5 })
  expect(told).toEqual(['a calibration could not be stored'])
})

test('an admin in a session is told once, as soon as there is one', async () => {
  await using storage = await openInMemory()
  const log = NO_LOG
  const said: string[] = []
  let isThere = false
  const tellAdmins = (text: string): boolean => {
    if (isThere) said.push(text)
    return isThere
  }
  const calibrations = createCalibrations(storage.models.calibrations, { now: () => 7 }, log, tellAdmins)
  const model = sampleConfig({})
  for (const counted of [1000, 2000, 3000, 4000]) {
    isThere = counted > 2000
    await calibrations.learnFrom(model, { counted, framing: 0 }, { input: 900, output: 5 })
  }
  expect(said).toEqual([
    '@qwen reports 900 tokens for a prompt of about 3000: its server may read only a part of each prompt; check its window (/models)',
  ])
})

test('what is more than our count, and the same for prompts of different lengths, is told so', async () => {
  await using storage = await openInMemory()
  const said: string[] = []
  const tellAdmins = (text: string): boolean => said.push(text) > 0
  const calibrations = createCalibrations(storage.models.calibrations, { now: () => 7 }, NO_LOG, tellAdmins)
  for (const counted of [3000, 3300])
    await calibrations.learnFrom(sampleConfig({}), { counted, framing: 0 }, { input: 3600, output: 5 })
  expect(said).toEqual([
    '@qwen reports 3600 tokens for a prompt of about 3300, and as many for one of another length: its server may read only a part of each prompt; check its window (/models)',
  ])
})

test('the log is told once of reports that look cut off', async () => {
  await using storage = await openInMemory()
  const told: string[] = []
  const log = { debug() {}, info() {}, warn: (_: object, text: string) => void told.push(text), error() {} }
  const calibrations = createCalibrations(storage.models.calibrations, { now: () => 7 }, log, noAdmin)
  const model = sampleConfig({})
  for (const counted of [1000, 2000, 3000])
    await calibrations.learnFrom(model, { counted, framing: 0 }, { input: 900, output: 5 })
  expect(told).toEqual([expect.stringContaining('look cut off')])
  expect(await calibrations.find(model)).toMatchObject({ reports: 1, doubted: 2 })
  expect(await calibrations.factorFor(model)).toBeGreaterThanOrEqual(1)
})
