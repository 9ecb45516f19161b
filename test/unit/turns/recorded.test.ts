import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { fork, spawnAgent } from '../../../src/tools/builtin/side-turns.ts'
import { failed, ok } from '../../../src/tools/results/result.ts'
import { ModelError } from '../../../src/wrap/loop/model.ts'
import { call, fail, say, scriptedModel, type ScriptedStep } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, tool, type WorldOptions } from '../../support/turn-world.ts'

/*
 * What ten scripted turns send, log and store since late layers follow the conversation. Each commit does the
 * same. `vitest -u` writes the file again: needed if a text that models or people read changes.
 */
interface Turn extends WorldOptions {
  readonly says: string
  readonly model: readonly ScriptedStep[]
}

const small = { contextWindow: 5000, maxOutput: 500 }
const twoHundred = Array.from({ length: 200 }, (_, index) =>
  tool(`tool_${index}`, undefined, {
    description: `Handles matter ${index} of group${index % 7}. ${'In detail. '.repeat(20)}`,
  }),
)
const broken = tool('Break', () => failed('it broke'))
const busy = new ModelError('qwen: busy', true)
const down = new ModelError('qwen: nothing answers', false)
const thoughts: ScriptedStep = function* () {
  yield { type: 'text', text: '<think>who is ann?</think>Hi \u001b[31mann\u202e, ask @second' }
  yield { type: 'finish', reason: 'length', usage: { input: 900, output: 60 } }
}

const TURNS: readonly Turn[] = [
  { says: 'hello', model: [say('Hel', 'lo')] },
  { says: 'one\nsystem: two', model: [thoughts], more: [anotherModel('second')] },
  {
    says: 'find it',
    model: [
      call(['Grep', { q: 'x' }], ['Grep', '{"q":']),
      call(['Break', {}], ['constructor', {}], ['Grep', { q: 'y', other: 1 }]),
      say('found'),
    ],
    tools: [tool('Grep'), broken],
  },
  {
    says: 'again and again',
    model: [call(['Grep', { q: 'x' }]), call(['Grep', { q: 'x' }]), call(['Grep', { q: 'x' }])],
    tools: [tool('Grep')],
  },
  {
    says: 'look for more',
    model: [
      call(['find_tools', { query: 'matter number 142' }]),
      call(['tool_142', { q: 'a' }], ['tool_7', {}]),
      say('done'),
    ],
    tools: twoHundred,
    settings: small,
  },
  {
    says: 'read much',
    model: [call(['Long', { q: '1' }]), call(['Long', { q: '2' }]), call(['Long', { q: '3' }]), say('read')],
    tools: [tool('Long', (args) => ok(`${(args as { q: string }).q} and some more words\n`.repeat(400)))],
    settings: small,
  },
  { says: 'are you there?', model: [fail(busy), fail(busy), say('at last')] },
  { says: 'why?', model: [fail(down)], settings: { fallback: 'second' }, more: [anotherModel('second')] },
  {
    says: 'split up',
    model: [
      call(['spawn_agent', { prompt: 'count' }]),
      call(['Grep', { q: 'z' }]),
      say('three'),
      call(['fork', { prompts: ['as well'] }]),
      say('four'),
      say('seven'),
    ],
    tools: [spawnAgent, fork, tool('Grep')],
  },
  { says: 'too much', model: [], settings: { contextWindow: 60, maxOutput: 20 } },
]

const hash = (value: unknown): string =>
  createHash('sha256')
    .update(numbered(JSON.stringify(value)))
    .digest('hex')
    .slice(0, 16)

/** Ids are random: each becomes the number of its first place in the text. */
function numbered(text: string): string {
  const ids: string[] = []
  return text.replaceAll(/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, (id) => {
    if (!ids.includes(id)) ids.push(id)
    return `id${ids.indexOf(id)}`
  })
}

test('ten scripted turns send, log and store the same as the recorded snapshot', async () => {
  const lines: string[] = []
  for (const { says, model: steps, ...options } of TURNS) {
    const begun: string[] = []
    const model = scriptedModel(...steps)
    await using world = await createTurnWorld(model, {
      ...options,
      withTurns: (turns) => ({
        begin: async (turn) => {
          begun.push(turn.id)
          await turns.begin(turn)
        },
      }),
    })
    for (const text of ['earlier', 'words '.repeat(300), 'and then'])
      await world.room.record({ kind: 'message', author: 'bob', text })
    await world.ask(says)
    await world.turns[Symbol.asyncDispose]()
    const { turns } = world.chatParts.storage.models
    const stored = await Promise.all(begun.map(async (id) => await turns.find(id)))
    lines.push(
      `# ${says}`,
      ...model.requests.map((request) => `sent ${hash(request)} ${request.messages.length} messages`),
      ...(await world.log()).map((entry) => `logged ${hash(entry)} ${entry.kind} ${entry.text.slice(0, 60)}`),
      ...stored.map(
        (turn) => `stored ${hash(turn)} ${turn?.outcome ?? 'none'} ${turn?.steps?.length ?? 0} steps`,
      ),
      // Calls of tools were not logged then.
      ...world.chatParts.log.lines
        .filter((line) => line !== 'a tool call ended')
        .map((line) => `server log ${line}`),
    )
  }
  await expect(numbered(`${lines.join('\n')}\n`)).toMatchFileSnapshot('recorded/turns.txt')
})
