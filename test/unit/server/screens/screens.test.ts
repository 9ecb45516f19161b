import { describe, expect, test } from 'vitest'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { touch } from '../../../support/commands/raise-question.ts'
import { screenOf } from '../../../support/chat-parts.ts'
import { LOOK_NAMES, LOOKS } from '../../../support/looks.ts'
import { call, say, scriptedModel } from '../../../support/scripted-model.ts'
import { anotherModel } from '../../../support/turn-world.ts'
import { createSessionStage, type WholeSession } from '../../../support/whole-sessions.ts'

const HOUR_MS = 3_600_000
const ROWS = 30

/**
 * What one sees of a whole session, with its colours, at widths and in themes that people have. The files beside this one
 * are to be looked at when they change: `{bold 137}bob:{} hi` is `bob:` in bold and in the 137th of xterm's colours.
 */
describe.each(LOOK_NAMES)('in %s', (look) => {
  test.each([40, 80, 120])('the screen of a session at %i columns matches its snapshot', async (columns) => {
    const [asked, answered] = [createDeferred<void>(), createDeferred<void>()]
    const gpt = scriptedModel(
      async function* (...request) {
        await asked.promise
        yield* call(['touch', { q: 'the production database' }])(...request)
      },
      async function* (...request) {
        await answered.promise
        yield* say('The production database was touched.')(...request)
      },
    )
    await using stage = await createSessionStage(
      { tools: [touch], more: [{ ...anotherModel('gpt'), adapter: gpt }] },
      () => 0,
    )
    const { world, lobby } = stage
    const { clock, person } = world.turnWorld.chatParts
    const { bob } = world
    const [zoe, cy] = [await person('zoe'), await person('cy')]
    const scenes: string[] = []
    const take = (name: string, session: WholeSession): void =>
      void scenes.push(`== ${name}`, ...session.emulator.styled(), '')
    const tell = (text: string, author = 'bob') => lobby.record({ kind: 'message', author, text })

    await tell('what was said before anybody came')
    {
      await using first = stage.open(zoe, { columns, rows: ROWS }, LOOKS[look])
      await first.seen(/before anybody came/)
      await lobby.enter(screenOf(bob))
      await tell('and while zoe was there')
      await first.seen(/and while zoe was there/)
    }
    clock.advance(33 * HOUR_MS)
    await tell('a line that zoe missed', 'cy')
    await tell(
      'and one more of the same, long enough that it takes more than one row of a narrow terminal',
      'cy',
    )

    await using session = stage.open(zoe, { columns, rows: ROWS }, LOOKS[look])
    const { enter, seen } = session
    const isDrawn = look !== 'plain'
    const status = (pattern: RegExp): Promise<void> => (isDrawn ? seen(pattern) : Promise.resolve())
    await seen(/zoe joined/)
    await status(/lobby · 2 here ·/)
    take('connect', session)

    const greeted = new Promise<void>((resolve) => {
      lobby.listen({ deliver: ({ text }) => text === 'good morning' && resolve() })
    })
    enter('good morning')
    await Promise.all([greeted, seen(/good morning/)])
    await tell('zoe: good morning! Did you see this?')
    await tell('I mean the tests')
    await seen(/I mean the tests/)
    const here = screenOf(cy)
    await lobby.enter(here)
    await lobby.leave(here)
    await seen(/cy (left|came and went)/)
    take('chat', session)

    enter('@gpt please touch it')
    await seen(/@gpt thinking|gpt is thinking/)
    take('thinking', session)
    asked.resolve()
    await seen(/\/deny 1/)
    await status(/question 1: y or n/)
    take('approval', session)

    enter('/allow 1')
    await seen(/-> touched|touch: touched the production/)
    answered.resolve()
    await seen(/tokens in/)
    await status(/tokens in · \d+ out lobby · 2 here · .*\d%/)
    take('answered', session)

    if (isDrawn) {
      await session.resize(columns / 2, ROWS)
      await tell('said at half the width of the window, where a row holds less')
      await seen(/holds less/)
      take('resize', session)
      await session.resize(columns, ROWS)
    }
    enter('/help')
    await seen(/\/quit/)
    take('help', session)
    await expect(`${scenes.join('\n')}\n`).toMatchFileSnapshot(`${columns}-${look}.txt`)
  })
})
