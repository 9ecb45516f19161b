import { expect, test } from 'vitest'
import { ENGINES } from '../../src/wrap/lua/engines.ts'
import { failureOf, inRoom, openPool } from '../support/pool.ts'

/** Nothing but memory may be the first limit that a script meets here. */
const LIMITS = { timeMs: 60_000, cpuMs: 60_000, wallMs: 60_000, heapMiB: 64 }

test.each(ENGINES)(
  'a script that takes all memory on $name is stopped, and the room composes again',
  async ({ name, lacks }) => {
    await using composer = openPool({ engine: name, size: 1, encodings: [], limits: LIMITS })
    const isLacking = lacks.some((lack) => lack === 'memory limit')
    const script = 'local t = {} while true do t[#t + 1] = { {} } end'
    expect(await failureOf(composer.compose(inRoom('den', script)))).toMatchObject(
      isLacking
        ? { reason: 'process', message: 'wrap: the process that composes prompts has died; try again' }
        : { reason: 'limit', message: 'script: it needs more than 64 MiB of memory' },
    )
    expect((await composer.compose(inRoom('den'))).budget.used).toBeGreaterThan(300)
  },
)
