import { expect, test } from 'vitest'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel } from '../../support/turn-world.ts'
import { createSessionStage } from '../../support/whole-sessions.ts'

const ANSWERS = 8

test('who listens to a model that answers at once does not hear after its answer that it thinks', async () => {
  const gpt = scriptedModel(...Array.from({ length: ANSWERS }, (_, index) => say(`answer ${index}`)))
  await using stage = await createSessionStage({ more: [{ ...anotherModel('gpt'), adapter: gpt }] })
  const ann = await stage.world.turnWorld.chatParts.person('ann')
  await using session = stage.open(ann, { columns: 80, rows: 24 }, { term: 'dumb' })
  await session.seen(/ann joined/)
  for (let index = 0; index < ANSWERS; index++) {
    session.enter(`@gpt question ${index}`)
    await session.seen(new RegExp(`answer ${index}\\b.*finished`))
  }
  session.enter('that is all')
  await session.seen(/that is all/)
  const heard = session.terminal.written().split('\r\n')
  const thoughts = heard.flatMap((line, at) => (line === '-- gpt is thinking' ? [at] : []))
  for (const at of thoughts) expect(heard[at + 1]).toMatch(/^gpt: answer/)
})
