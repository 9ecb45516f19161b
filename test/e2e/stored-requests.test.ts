import { expect, test } from 'vitest'
import { startServerHere } from '../support/server-here.ts'
import { createStageHere } from '../support/stage.ts'
import { askStored, onPostgres } from '../support/stored.ts'

const DAY = 86_400_000
const ASKS = 40

/** Twice what was measured. A whole request of this room has 40 KB at the end. */
const BYTES_A_TURN = 10_000

test('stored requests reuse equal parts and are removed after 30 days, but the log is not', async () => {
  await using stage = await createStageHere({ isShared: true })
  const done = async (...words: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await stage.as('rhea', words)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return stdout
  }
  await stage.claim('rhea')
  const ask = (): Promise<string> => done('ask', 'lobby', '@guide', 'help')
  await ask()
  const [first] = await askStored(stage.server.dataDir, 'SELECT id FROM turns')
  const shown = await done('turn', 'lobby', String(first?.['id']))
  expect(shown).toContain('rhea: @guide help')
  for (let n = 1; n < ASKS; n++) await ask()
  expect(await done('turn', 'lobby', String(first?.['id']))).toBe(shown)

  const octets = onPostgres ? 'octet_length' : 'length'
  const [size] = await askStored(
    stage.server.dataDir,
    `SELECT (SELECT sum(${octets}(bytes) + 64) FROM request_parts) + (SELECT 160 * count(*) FROM turn_parts) AS bytes`,
  )
  expect(Number(size?.['bytes'])).toBeGreaterThan(1_000)
  expect(Number(size?.['bytes'])).toBeLessThan(ASKS * BYTES_A_TURN)

  const log = await done('history', 'lobby', '-n', '20')
  const clock = {
    now: () => Date.now() + 31 * DAY,
    monotonic: () => performance.now(),
    later: (ms: number, run: () => void) => void setTimeout(run, ms).unref(),
  }
  await stage.goOnWith((options) => startServerHere({ ...options, clock }))
  const parts = () => askStored(stage.server.dataDir, 'SELECT hash FROM request_parts')
  await expect.poll(parts, { timeout: 10_000 }).toEqual([])
  expect(await done('turn', 'lobby')).toContain('; what was sent was removed after 30 days\n')
  expect(await done('history', 'lobby', '-n', '20')).toContain(log.split('\n')[0])
})
