import { describe, expect, it } from 'vitest'
import { countingServer, DIALECTS, type Dialect, type TrueModel } from '../../support/counting-servers.ts'
import { expectAnswer, servedRoom } from '../../support/served-room.ts'

async function expectRoomIsFound(dialect: Dialect, model: TrueModel): Promise<number> {
  await using it = await servedRoom(dialect.backend)
  const { script, tally } = countingServer(dialect, model)
  it.server.always(script)
  for (let round = 0; round < 3; round++) {
    for (const { prompt } of await expectAnswer(it.world, `round ${round}`)) {
      const { used, target, window, reserved_output } = prompt.budget
      expect(used).toBeLessThanOrEqual(target)
      expect(used).toBeLessThanOrEqual(window - reserved_output)
      expect(target + reserved_output).toBeLessThanOrEqual(window)
    }
  }
  expect(tally.accepted).toHaveLength(3)
  return tally.refused.length
}

describe.each(Object.entries(DIALECTS))('a server that speaks like %s', (_name, dialect) => {
  it('and counts two thirds more than we do refuses once at most, and then every ask is answered', async () => {
    const refusals = await expectRoomIsFound(dialect, { window: 8000, density: 1.66 })
    expect(refusals).toBeLessThanOrEqual(1)
  })

  it('and has a smaller window than the config says refuses once at most', async () => {
    const refusals = await expectRoomIsFound(dialect, { window: 5000, density: 1.1 })
    expect(refusals).toBeLessThanOrEqual(dialect.facts ? 0 : 1)
  })
})
