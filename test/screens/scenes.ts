import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answer, type ModelServer, type Piece, type Script } from '../support/model-server.ts'
import type { ModelStage } from '../support/stage.ts'
import type { RecordedTerminal } from './recorded-terminal.ts'
import type { ScreenTheme } from './screen.ts'

/** What one picture shows: people in terminals do this on a server of their own, and then the screen of one is drawn. */
export interface Scene {
  /** Of its file, and what readers are told who do not see it. */
  readonly name: string
  readonly title: string
  readonly columns?: number
  readonly theme?: ScreenTheme
  readonly hasTwoModels?: true
  /** Resolves to the terminal that is drawn. */
  play(parts: SceneParts): Promise<RecordedTerminal>
}

export interface SceneParts {
  /** `ann` runs the server. */
  readonly stage: ModelStage
  /** The server of the second model, @gpt. */
  readonly other?: ModelServer
  /** Somebody comes in: resolves when they can type. The terminal ends with the scene. */
  comesIn(name: string): Promise<RecordedTerminal>
  /** Types a line as a person does, and waits until the screen shows what comes of it. */
  enter(terminal: RecordedTerminal, line: string, shows: string | RegExp): Promise<void>
}

const FILE = `test('flush sends what is queued', async () => {
  const clock = frozenClock()
  queue.push('hello')
  await queue.flush(clock)
  expect(sent).toEqual(['hello'])
})
`

const REPLY = `It waits for ever, because the **clock** of the test is frozen:

| step | waits for | got   |
| :--- | :-------- | ----: |
| 1    | a tick    |  0 ms |
| 2    | \`flush()\` | never |

\`\`\`ts
await clock.tick(10) // before flush()
expect(sent).toEqual(['hello'])
\`\`\`

One tick before \`flush\` is **enough**.`

/** Letters of a request for each token that a real server would report for it. */
const LETTERS_PER_TOKEN = 4

/** An answer with as many tokens as a real server would report. */
export const answers =
  (...pieces: readonly Piece[]): Script =>
  (response, request) => {
    const read = Math.round(JSON.stringify(request.body).length / LETTERS_PER_TOKEN)
    const written = Math.ceil(JSON.stringify(pieces).length / LETTERS_PER_TOKEN)
    return answer(pieces, { usage: [read, written] })(response, request)
  }

const call = (name: string, args: object): Piece => ({
  call: { index: 0, id: name, name, arguments: JSON.stringify(args) },
})

/** Into the lobby. */
export async function writeFiles({ dir }: ModelStage, files: Readonly<Record<string, string>>) {
  const place = join(dir, 'data', 'rooms', 'lobby', 'files')
  await mkdir(place, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text)
}

/** Two people talk, and one asks a model that looks into a file. */
export async function playTalk({ stage, comesIn, enter }: SceneParts) {
  await writeFiles(stage, { 'flush.test.ts': FILE })
  const bob = await comesIn('bob')
  const ann = await comesIn('ann')
  await enter(bob, 'the flush test is red again', 'red again')
  await ann.shows('red again')
  stage.models.play(
    answers({ text: 'Let me look at it.' }, call('Grep', { arguments: ['-n', 'clock', 'flush.test.ts'] })),
    answers({ text: REPLY }),
  )
  await enter(ann, '@qwen why does it hang?', / out$/m)
  return { ann, bob }
}

const firstScreen: Scene = {
  name: 'first-screen',
  title: 'The first screen after ssh, and how @guide says to begin',
  async play({ comesIn, enter }) {
    const ann = await comesIn('ann')
    await enter(ann, '@guide how do I begin?', 'asks me')
    return ann
  },
}

export const chat: Scene = {
  name: 'chat',
  title: 'Two people and a model in a room: a tool call, then a reply with a table and code',
  async play(parts) {
    const { ann, bob } = await playTalk(parts)
    await parts.enter(bob, 'that was it, thanks', 'that was it')
    await ann.shows('that was it')
    return ann
  },
}

export const approval: Scene = {
  name: 'approval',
  title: 'A model wants to run a command, and the room waits for an answer',
  async play({ stage, comesIn, enter }) {
    const bob = await comesIn('bob')
    const ann = await comesIn('ann')
    await enter(ann, 'bob: can we merge it?', 'merge it')
    await bob.shows('merge it')
    stage.models.play(
      answers(
        { text: 'I run the tests first.' },
        call('run_command', { command: 'git log --oneline -3 && npm test' }),
      ),
    )
    await enter(bob, '@qwen are the tests green?', 'are the tests green')
    await ann.shows('/deny 1')
    return ann
  },
}

const wrap: Scene = {
  name: 'wrap',
  title: '/wrap draws what a model would be sent: the budget, part by part',
  async play(parts) {
    const { ann } = await playTalk(parts)
    await parts.enter(ann, '/wrap @qwen', 'for the answer')
    return ann
  },
}

export const SCENES: readonly Scene[] = [firstScreen, chat, approval, wrap]

/** A line of the first minute, what the model does about it, and what comes of it. */
interface Act {
  readonly line: string
  readonly plays?: readonly Script[]
  readonly shows: string | RegExp
}

/** What a newcomer does: speaks, asks a model, allows a call, makes a room, invites somebody, and goes to a talk. */
export const FIRST_MINUTE: readonly Act[] = [
  { line: 'hello?', shows: /: hello\?/ },
  {
    line: '@qwen how long are our notes?',
    plays: [
      answers({ text: 'I count the words.' }, call('run_command', { command: 'wc -w notes.md' })),
      answers({ text: 'They have **7 words**:\n\n1. tea at four\n2. mend the flush test' }),
    ],
    shows: '/deny 1',
  },
  { line: '/allow 1', shows: / out$/m },
  { line: '/create --private den', shows: 'made den' },
  { line: '/topic tea at four', shows: 'set the topic' },
  { line: '/invite ann', shows: 'invited ann' },
  {
    line: '/talk @qwen what rhymes with tea?',
    plays: [answers({ text: '**Key**: you came in with one.' })],
    shows: /came in with one[^]* out$/m,
  },
]
