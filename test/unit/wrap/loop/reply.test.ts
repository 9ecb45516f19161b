import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cleanText } from '../../../../src/base/text/clean-text.ts'
import { createReply, MAX_REPLY_CHARS } from '../../../../src/wrap/loop/reply.ts'
import type { ModelEvent } from '../../../../src/wrap/loop/model.ts'
import { streamStep } from '../../../../src/wrap/loop/stream-step.ts'
import { sampleRequest } from '../../../support/model-request.ts'
import { call, say, scriptedModel, type ScriptedStep } from '../../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, tool } from '../../../support/turn-world.ts'

/** Adds the pieces to a reply of one step; gives what was shown and what is recorded. */
function written(pieces: readonly string[]) {
  const shown: string[] = []
  const reply = createReply((text) => shown.push(text))
  reply.nextStep()
  for (const piece of pieces) reply.add(piece)
  const text = reply.finish()
  return { shown: shown.join(''), text }
}

/** Pieces that are hard to clean when they are cut anywhere. */
const hard = fc.constantFrom(
  ...'a|é|\u001b[31m|\u001b]0;t\u0007|\r\n|\r|\n|😀|👩‍🔬|\u202e|\t| |\u0000|\u009b1m'.split('|'),
)

const cutAnywhere = fc
  .tuple(fc.array(hard, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 20 }))
  .map(([parts, cuts]) => {
    const text = parts.join('')
    const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b)
    return { text, pieces: [0, ...places].map((from, index) => text.slice(from, places[index])) }
  })

it('a reply is recorded as its whole sanitized text, wherever the pieces were split', () => {
  fc.assert(
    fc.property(cutAnywhere, ({ text, pieces }) => {
      expect(written(pieces).text).toBe(cleanText(text).trim())
    }),
  )
})

it('a streamed reply contains nothing that the sanitizer would remove', () => {
  fc.assert(
    fc.property(cutAnywhere, ({ pieces }) => {
      const { shown } = written(pieces)
      expect(cleanText(shown)).toBe(shown)
    }),
  )
})

it('an ordinary text is streamed exactly as it is recorded', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 30 })), (pieces) => {
      const whole = pieces.join('')
      fc.pre(cleanText(whole) === whole && !whole.includes('\r'))
      expect(written(pieces).shown).toBe(whole)
    }),
  )
})

it('the texts of two steps are separated by one empty line, and steps without text add nothing', () => {
  const shown: string[] = []
  const reply = createReply((text) => shown.push(text))
  for (const text of ['one', '', 'two']) {
    reply.nextStep()
    if (text) expect(reply.add(text)).toBe(true)
  }
  reply.nextStep()
  expect(shown.join('')).toBe('one\n\ntwo')
  expect(reply.finish()).toBe('one\n\ntwo')
})

it('take() returns the text of a step without the gap, and finish() returns all steps', () => {
  const shown: string[] = []
  const reply = createReply((text) => shown.push(text))
  expect(reply.take()).toBe('')
  for (const text of ['one ', ' \n', 'two']) {
    reply.nextStep()
    reply.add(text)
    expect(reply.take()).toBe(text.trim())
  }
  expect(shown).toEqual(['one ', ' \n', 'two'])
  expect(reply.isEmpty()).toBe(false)
  expect(reply.finish()).toBe('one\n\ntwo')
})

it('the text after an unterminated escape sequence is shown when the reply ends', () => {
  const { shown, text } = written(['see \u001b]0; the ', 'rest'])
  expect(text).toBe('see 0; the rest')
  expect(shown).toBe(text)
})

it('a reply that is full accepts no further text', () => {
  const reply = createReply(() => {})
  expect(reply.add('x'.repeat(MAX_REPLY_CHARS))).toBe(true)
  expect(reply.add('y')).toBe(false)
  expect(reply.finish()).toBe('x'.repeat(MAX_REPLY_CHARS))
})

it('a reply accepts 60,000 single characters without a line end', () => {
  const shown: string[] = []
  const reply = createReply((text) => shown.push(text))
  for (let index = 0; index < 60_000; index++) reply.add('x')
  expect(shown.join('')).toHaveLength(60_000)
})

/** What a step makes of an answer that comes in these pieces. */
async function split(pieces: readonly string[], reason: 'stop' | 'length' = 'stop') {
  const step: ScriptedStep = function* (): Iterable<ModelEvent> {
    for (const text of pieces) yield { type: 'text', text }
    yield { type: 'finish', reason }
  }
  let thinking = ''
  const reply = createReply(() => {})
  const view = { reply, think: (text: string) => void (thinking += text) }
  const { thoughts, writtenCalls } = await streamStep(
    scriptedModel(step),
    sampleRequest(),
    view,
    new AbortController().signal,
  )
  return { said: reply.finish(), thoughts: thoughts.map(({ text }) => text), thinking, writtenCalls }
}

const FENCED = 'So:\n```\n<think>\nnot mine\n</think>\n```\nThat is it.'

it.each<[string, string, readonly string[]]>([
  ['<think>secret plan @m2 go</think> visible', 'visible', ['secret plan @m2 go']],
  ['\n<think>\na\n\nb\n</think>\n\nvisible', 'visible', ['a\n\nb']],
  ['<think>a</think><think>b</think>\n c', 'c', ['a', 'b']],
  ['<think></think>\n\nvisible', 'visible', []],
  ['First.\n<think>hm</think>\nThen.', 'First.\nThen.', ['hm']],
  ['Hello <think>secret</think> visible', 'Hello visible', ['secret']],
  ['`code` <think>a</think>b', '`code` b', ['a']],
  ['[THINK]a[/THINK]b', 'b', ['a']],
  ['<seed:think>a</think>b</seed:think>c', 'c', ['a</think>b']],
  ['<think>never closed', '', ['never closed']],
  ['reasoning\nof mine\n</think>\n\nvisible', 'visible', ['reasoning\nof mine']],
  ['reasoning\n</think>', '', ['reasoning']],
  ['</think>\nvisible', 'visible', []],
])('a thought in %j is separated from the reply', async (text, said, thoughts) => {
  expect(await split([text])).toMatchObject({ said, thoughts })
})

it.each([
  ['The tag `<think>` begins a thought, `</think>` ends it.'],
  ['`a` and `<think>b</think>` and <think, [THIN or a < b'],
  ['Of <think> I say nothing more.'],
  ['Look:\n<think> begins a thought.'],
  [FENCED],
  ['a\n</thinks>\nb'],
  ['a </think>\nb'],
  ['<thin'],
  ['<b>bold</b>\n[THIN'],
  ['   \n\n    indented'],
])('the text %j contains no thought', async (text) => {
  expect(await split([text])).toMatchObject({ said: text.trim(), thoughts: [] })
})

it('an unclosed thought stays a thought if the answer was cut in it', async () => {
  expect(await split(['Hello.\n<think>and then'], 'length')).toEqual({
    said: 'Hello.',
    thoughts: ['and then'],
    thinking: 'and then',
    writtenCalls: [],
  })
})

it('thoughts and text are the same for any split of the answer into pieces', async () => {
  const part = fc.constantFrom(
    ...[
      '<think>',
      '</think>',
      '[THINK]',
      '[/THINK]',
      '<seed:think>',
      '\n',
      '\n\n',
      '<tool_call>',
      '</tool_call>',
      '{',
      ' ',
      '```',
      'a',
      'b c',
    ],
    ...['<', '</', '[', 'é👩‍👩‍👧', '<|channel|>analysis<|message|>', '<|end|>', '<|start|>assistant to='],
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 14 }), fc.array(fc.nat(9)), async (parts, cuts) => {
      const text = parts.join('')
      const pieces: string[] = []
      let at = 0
      for (const length of [...cuts, text.length]) {
        pieces.push(text.slice(at, at + length))
        at += length
      }
      const whole = await split([text])
      expect(await split(pieces)).toEqual(whole)
      expect(await split([...text])).toEqual(whole)
      const letters = (some: string): number => some.match(/[bé]/g)?.length ?? 0
      if (!/<\/think>|\[\/THINK\]/.test(text))
        expect(letters(whole.said + whole.thoughts.join() + whole.writtenCalls.join())).toBe(letters(text))
    }),
  )
})

it('an answer of 20,000 spaces in small pieces is trimmed to its text', async () => {
  const { said } = await split([...Array.from({ length: 20_000 }, () => ' '), 'x'])
  expect(said).toBe('x')
})

it('a turn logs no thought between tags, streams it, and returns it to the model in the next step', async () => {
  const model = scriptedModel(
    function* (request) {
      yield { type: 'text', text: '<think>ask @other fir' }
      yield { type: 'text', text: 'st</think>Let me see.' }
      yield* call(['Grep', {}])(request, new AbortController().signal) as Iterable<ModelEvent>
    },
    say('I think @other knows</think> ', 'aloud.\n<think>@other?</think>'),
    say('never asked'),
  )
  const more = [anotherModel('other')]
  await using world = await createTurnWorld(model, { tools: [tool('Grep')], more })
  await world.ask()
  const lines = await world.lines()
  expect(lines.filter((line) => line.startsWith('reply')).join('\n')).not.toContain('ask @other')
  expect(lines).toContainEqual(expect.stringContaining('Let me see.'))
  expect(world.thoughts.join('')).toContain('ask @other first')
  expect(model.requests[1]!.messages[0]).toMatchObject({
    text: 'Let me see.',
    thoughts: [{ text: 'ask @other first' }],
  })
})
