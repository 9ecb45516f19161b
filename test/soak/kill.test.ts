import { test } from 'vitest'
import { expectNothingLost } from '../support/expect-nothing-lost.ts'
import { killUnderLoad } from '../support/kill-under-load.ts'

test('what anybody saw is stored, once and in order, after a hundred kills at random moments', async () => {
  expectNothingLost(await killUnderLoad(100))
})
