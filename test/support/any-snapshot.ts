import fc from 'fast-check'
import { expect } from 'vitest'
import { WrapError, type TokenCounter } from '../../src/wrap/ports.ts'
import { userContent, type Prompt } from '../../src/wrap/prompt.ts'
import { catalogue, row, sampleSnapshot, sampleTool, snapshotFor } from './snapshot.ts'
import { anyCharacter } from './any-character.ts'

const text = fc.oneof(
  fc.string({ maxLength: 120, unit: anyCharacter }),
  fc.constantFrom(
    '漢字'.repeat(40),
    '👩‍👩‍👧'.repeat(20),
    'a'.repeat(900),
    'line\n'.repeat(20),
    '/x\n/y',
    '\n',
    ' ',
  ),
)
const someTools = fc
  .array(fc.record({ description: text, words: fc.nat(40), hasSchema: fc.boolean() }), { maxLength: 8 })
  .map((list) =>
    catalogue(
      ...list.map(({ description, words, hasSchema }, index) =>
        sampleTool(`t${index}`, {
          description: `${description} ${'and more '.repeat(words)}`,
          ...(hasSchema ? {} : { schema: { type: 'object' } }),
        }),
      ),
    ),
  )
const samplePictureFacts = (tokens: number, index: number) => ({
  ...{ name: `p${index}.png`, type: 'image/png' as const, width: 4, height: 3, size: 90, hash: `${index}` },
  tokens,
})

/** As the server gives them: absent if there are none. */
const memoriesOf = (given: {
  readonly memory: readonly string[]
  readonly memoryOfAsker: readonly string[]
}) => ({
  ...(given.memory.length > 0
    ? { memory: given.memory.map((words, index) => ({ number: index + 1, author: 'bob', text: words })) }
    : {}),
  ...(given.memoryOfAsker.length > 0 ? { memoryOfAsker: given.memoryOfAsker } : {}),
})

/** Any room, tools, history and target. */
export const anySnapshot = fc
  .record({
    target: fc.integer({ min: 0, max: 2500 }),
    tools: someTools,
    history: fc.array(text, { maxLength: 12 }),
    topic: text,
    message: text,
    pictures: fc.array(fc.nat(600), { maxLength: 4 }),
    toolsShare: fc.constantFrom(0, 0.1, 0.4, 0.9, 1),
    persona: fc.option(fc.record({ name: fc.constant('reviewer'), text }), { nil: undefined }),
    memory: fc.array(text, { maxLength: 6 }),
    memoryOfAsker: fc.array(text, { maxLength: 6 }),
  })
  .map(({ target, tools, history, topic, message, pictures, toolsShare, persona, ...remembered }) =>
    snapshotFor(target, {
      tools,
      history: history.map((said, index) => row(index, { text: said })),
      room: { ...sampleSnapshot().room, topic },
      message,
      ...(pictures.length > 0 ? { pictures: pictures.map(samplePictureFacts) } : {}),
      toolsShare,
      ...memoriesOf(remembered),
      ...(persona ? { persona } : {}),
    }),
  )

/** The prompt, or the message of the refusal that a budget is allowed to give. */
export function composed(make: () => Prompt): Prompt | string {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof WrapError)) throw error
    expect(error.reason).toBe('budget')
    expect(error.message).toMatch(/^wrap: (layer ".+"|the message) needs \d+ tokens, \d+ of \d+ are left/)
    return error.message
  }
}

/** Tokens of all that is sent of a prompt, counted once more. */
export const recount = (prompt: Prompt, counter: TokenCounter): number =>
  [
    prompt.system,
    userContent(prompt),
    ...prompt.tools.flatMap((one) => (one.definition ? [JSON.stringify(one.definition)] : [])),
  ].reduce(
    (sum, part) => sum + counter.count(part),
    (prompt.pictures ?? []).reduce((sum, { tokens }) => sum + tokens, 0),
  )
