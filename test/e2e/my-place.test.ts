import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({ isShared: true })
  await stage.claim('rhea')
})
afterAll(() => stage[Symbol.asyncDispose]())

test('a time zone that somebody sets is there at the next login', async () => {
  await using first = await stage.open('ann', '-T')
  await first.waitFor('ann joined')
  first.write('/set timezone asia/kolkata\n')
  await first.waitFor('timezone is Asia/')
  first.close()
  await first.exit
  await using next = await stage.open('ann', '-T')
  await next.waitFor('-- lobby')
  next.write('/set timezone\n')
  await next.waitFor(/timezone Asia\/(?:Kolkata|Calcutta) \(or/)
})

test('a long text of somebody else is folded on a terminal, and a search marks its words there', async () => {
  await using bob = await stage.open('bob', '-tt')
  await bob.waitFor('bob joined')
  const rows = Array.from({ length: 30 }, (_, index) => `row ${index} of the walrus`)
  await stage.as('rhea', ['say', 'lobby', rows.join('\n')])
  await bob.waitFor('… 22 more lines: /history paste')
  expect(bob.output()).not.toContain('row 29')
  const from = bob.output().length
  bob.write('/search row 29\r')
  // The word begins in a look of its own.
  await bob.waitFor(/\u001b\[[\d;]*mrow\u001b\[[^]*29/, from)
})
