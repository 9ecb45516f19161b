import { describe, expect, test } from 'vitest'
import { createDeferred } from '../../../../src/base/jobs/waiting.ts'
import { type ScriptedStep, scriptedModel } from '../../../support/scripted-model.ts'
import { longReply } from '../../../support/long-reply.ts'
import { LOOK_NAMES, LOOKS } from '../../../support/looks.ts'
import { anotherModel } from '../../../support/turn-world.ts'
import { createSessionStage, type WholeSession } from '../../../support/whole-sessions.ts'

const ROWS = 30

/** A reply with all that Markdown has, cut where somebody looks at it. */
const STAGES = [
  {
    name: 'a paragraph begins',
    text: '## Where the time goes\n\nMost of it is **waiting**: the `writer` holds one lock while it wri',
    shows: /holds one lock while it wri/,
  },
  {
    name: 'a table grows',
    text: 'tes, as [the notes](https://example.org/notes) say.\n\n1. the disk\n   - its queue\n2. the *lock*\n\n> measured on 日本語 texts\n\n| step | ms | note |\n| :-- | --: | --- |\n| read | 12 | from the cache |\n| sort | 140',
    shows: /measured on/,
  },
  {
    name: 'code grows',
    text: ' | a *whole* page |\n| write | 2,300 | `fsync`, once for each of them, which is what takes so long |\n\nSo:\n\n```ts\n// one lock for all of them\nconst lock = await take("writer", 1_000)\nfor (const page of pages) await wri',
    shows: /await wri/,
  },
  {
    name: 'the reply is whole',
    text: 'te(page, { sync: false })\n```\n\n---\n\nThat is all.',
    shows: /tokens in/,
  },
] as const

describe.each(LOOK_NAMES)('in %s', (look) => {
  test.each([40, 80, 120])('the screen of replies at %i columns matches its snapshot', async (columns) => {
    const isDrawn = look !== 'plain'
    const gates = STAGES.map(() => createDeferred<void>())
    const end = createDeferred<void>()
    const long = longReply()
    const half = long.text.indexOf('\n', long.text.indexOf('export function', long.text.length / 3))
    const growing: ScriptedStep = async function* () {
      for (const [index, { text }] of STAGES.entries()) {
        yield { type: 'text', text }
        if (index < STAGES.length - 1) await gates[index]?.promise
      }
      yield { type: 'finish', reason: 'stop', usage: { input: 10, output: 90 } }
    }
    const lengthy: ScriptedStep = async function* () {
      yield { type: 'text', text: long.text.slice(0, half) }
      await end.promise
      yield { type: 'text', text: long.text.slice(half) }
      yield { type: 'finish', reason: 'stop', usage: { input: 20, output: 900 } }
    }
    await using stage = await createSessionStage({
      more: [{ ...anotherModel('gpt'), adapter: scriptedModel(growing, lengthy) }],
    })
    const zoe = await stage.world.turnWorld.chatParts.person('zoe')
    await using session = stage.open(zoe, { columns, rows: ROWS }, LOOKS[look])
    const { enter, seen } = session
    const scenes: string[] = []
    const take = (name: string, { emulator }: WholeSession): void =>
      void scenes.push(`== ${name}`, ...emulator.styled(), '')
    const isOver = async (tokens: number): Promise<void> => {
      await seen(new RegExp(`${tokens} out`))
      if (isDrawn) await seen(/ out lobby · 1 here · .*\d%/)
    }
    await seen(/zoe joined/)
    enter('@gpt where does the time go?')
    await seen(isDrawn ? /@gpt writing/ : /gpt is thinking/)
    for (const [index, { name, shows }] of STAGES.entries()) {
      const isLast = index === STAGES.length - 1
      if (isLast) await isOver(90)
      else if (isDrawn) await seen(shows)
      if (isLast || isDrawn) take(name, session)
      gates[index]?.resolve()
    }

    enter('@gpt and all of it, please')
    await seen(isDrawn ? /please .*@gpt writing/ : /please .*gpt is thinking/)
    if (isDrawn) {
      await seen(new RegExp(lastWord(long.text.slice(0, half))))
      take('a long reply, half of it written', session)
    }
    end.resolve()
    await isOver(900)
    take('a long reply, its end', session)

    enter('/wrap @gpt')
    await seen(/window\s+8000: [\d\s]+for\s+the\s+answer/)
    take('wrap', session)
    await expect(`${scenes.join('\n')}\n`).toMatchFileSnapshot(`${columns}-${look}-replies.txt`)
  })
})

const lastWord = (text: string): string => text.match(/w[\dA-Z]+/g)?.at(-1) ?? ''
