import { test } from 'vitest'
import { expectNothingLost } from '../support/expect-nothing-lost.ts'
import { killUnderLoad } from '../support/kill-under-load.ts'

test('what anybody saw is stored, once and in order, although the server was killed while people spoke', async () => {
  expectNothingLost(await killUnderLoad(2))
})
