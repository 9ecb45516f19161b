import { answer } from '../support/model-server.ts'
import type { ModelStage } from '../support/server.ts'
import type { RecordedTerminal } from './recorded-terminal.ts'

/** What one picture shows: somebody in a terminal does this, and then the screen is drawn. */
export interface Scene {
  /** Of its file, and what readers are told who do not see it. */
  readonly name: string
  readonly title: string
  play(parts: SceneParts): Promise<void>
}

/** What a scene is played with. */
export interface SceneParts {
  readonly stage: ModelStage
  /** The terminal of `ann`, who runs the server. */
  readonly ann: RecordedTerminal
  /** Types a line as a person does, and waits until the screen shows what comes of it. */
  enter(line: string, shows: string | RegExp): Promise<void>
  /** Says something in the room as somebody else. */
  as(name: string, words: readonly string[], input?: string): Promise<void>
}

const REPLY = `It fails because the **clock** of the test is frozen:

| step | waits for | got   |
| :--- | :-------- | ----: |
| 1    | a tick    |  0 ms |
| 2    | \`flush()\` | never |

\`\`\`ts
await clock.tick(10) // before flush()
expect(sent).toEqual(['hello'])
\`\`\`

In all, **3 of 42** tests need it.`

/** As many tokens as a real server would report. */
const reported = (output: number) => ({ usage: [3_600, output] as const })

const replies = (text: string) => answer([{ text }], reported(90))

const callsTool = (name: string, args: object, text = '') =>
  answer([{ text }, { call: { index: 0, id: name, name, arguments: JSON.stringify(args) } }], reported(30))

const firstScreen: Scene = {
  name: 'first-screen',
  title: 'The first screen after ssh, and what @guide says of the tools',
  async play({ ann, enter }) {
    await ann.shows('lobby')
    await enter('@guide how do I begin?', /guide[^]*\n.*(in|tokens)/)
    await ann.settles()
  },
}

const chat: Scene = {
  name: 'chat',
  title: 'Two people and a model in a room: a tool call, then a reply with a table and code',
  async play({ ann, stage, enter, as }) {
    await as('bob', ['say', 'lobby', 'the flush test is red again'])
    await ann.shows('red again')
    stage.models.play(callsTool('calculator', { expression: '42-39' }, 'Let me count.'), replies(REPLY))
    await enter('@qwen why does it fail?', '3 of 42')
    await as('bob', ['say', 'lobby', 'that was it, thanks'])
    await ann.shows('that was it')
    await ann.settles()
  },
}

const approval: Scene = {
  name: 'approval',
  title: 'A model wants to run a command, and the room waits for an answer',
  async play({ ann, stage, enter }) {
    stage.models.play(
      callsTool('run_command', { command: 'git log --oneline -3 && npm test' }),
      replies('Then I leave it.'),
    )
    await enter('@qwen run the tests', '/deny')
    await ann.settles()
  },
}

const wrap: Scene = {
  name: 'wrap',
  title: '/wrap draws what a model would be sent: the budget, part by part',
  async play({ ann, enter }) {
    await enter('/deny', 'Then I leave it.')
    await enter('/wrap @qwen', 'are kept for the answer')
    await ann.settles()
  },
}

/** In this order, in one session. */
export const SCENES: readonly Scene[] = [firstScreen, chat, approval, wrap]

/** A line of the first minute, and what comes of it. */
export interface Act {
  readonly line: string
  readonly shows: string | RegExp
}

/** What somebody tries in the first minute, with nothing but `@guide`. */
export const FIRST_MINUTE: readonly Act[] = [
  { line: 'hello?', shows: /: hello\?/ },
  { line: '@guide tools', shows: /calculator/ },
  { line: '@guide call calculator {"expression":"6*7"}', shows: /42/ },
  { line: '/wrap @guide', shows: 'are kept for the answer' },
  { line: '/help wrap', shows: 'layer by layer' },
]
