import { expect, test } from 'vitest'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import { type ScriptedStep, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel } from '../../support/turn-world.ts'
import { createSessionStage } from '../../support/whole-sessions.ts'

test('the screen shows the newest line of each of two models that answer', async () => {
  const end = createDeferred<void>()
  const steps = (name: string, lines: number): ScriptedStep =>
    async function* () {
      for (let line = 1; line <= lines; line++) yield { type: 'text', text: `- ${name} step ${line}\n` }
      await end.promise
      yield { type: 'finish', reason: 'stop', usage: { input: 10, output: 90 } }
    }
  await using stage = await createSessionStage({
    more: [
      { ...anotherModel('one'), adapter: scriptedModel(steps('one', 40)) },
      { ...anotherModel('two'), adapter: scriptedModel(steps('two', 9)) },
    ],
  })
  const zoe = await stage.world.turnWorld.chatParts.person('zoe')
  await using session = stage.open(zoe, { columns: 80, rows: 24 })
  await session.seen(/zoe joined/)
  session.enter('@one @two how?')
  await session.seen(/one step 39.*two step 8/)
  await session.seen(/@two writing/)
  const screen = session.emulator.screen().join('\n')
  end.resolve()
  expect(screen).toMatch(/one step 40/)
  expect(screen).toMatch(/two step 9/)
})
