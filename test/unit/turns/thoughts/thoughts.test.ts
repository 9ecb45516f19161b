import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../../../src/turns/ports.ts'
import { createReply } from '../../../../src/turns/reply.ts'
import { streamStep } from '../../../../src/turns/stream-step.ts'
import { sampleRequest } from '../../../support/model-request.ts'
import { call, say, scriptedModel, type ScriptedStep } from '../../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, tool } from '../../../support/turn-world.ts'

/** What a step makes of an answer that comes in these pieces. */
async function split(pieces: readonly string[], reason: 'stop' | 'length' = 'stop') {
  const step: ScriptedStep = function* (): Iterable<ModelEvent> {
    for (const text of pieces) yield { type: 'text', text }
    yield { type: 'finish', reason }
  }
  let thinking = ''
  const reply = createReply(() => {})
  const view = { reply, think: (text: string) => void (thinking += text) }
  const { thoughts } = await streamStep(
    scriptedModel(step),
    sampleRequest(),
    view,
    new AbortController().signal,
  )
  return { said: reply.finish(), thoughts: thoughts.map(({ text }) => text), thinking }
}

const FENCED = 'So:\n```\n<think>\nnot mine\n</think>\n```\nThat is it.'

describe('what stands between the tags of a thought', () => {
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
  ])('%j is no speech', async (text, said, thoughts) => {
    expect(await split([text])).toMatchObject({ said, thoughts })
  })

  it.each([
    ['The tag `<think>` begins a thought, `</think>` ends it.'],
    ['`a` and `<think>b</think>` and <think, [THIN or a < b'],
    ['Of <think> I say nothing more.'],
    ['Look:\n<think> begins a thought.'],
    [FENCED],
    ['a\n</thinking>\nb'],
    ['a </think>\nb'],
    ['<thin'],
    ['<b>bold</b>\n[THIN'],
    ['   \n\n    indented'],
  ])('%j is speech', async (text) => {
    expect(await split([text])).toMatchObject({ said: text.trim(), thoughts: [] })
  })

  it('stays a thought where the answer was cut in it', async () => {
    expect(await split(['Hello.\n<think>and then'], 'length')).toEqual({
      said: 'Hello.',
      thoughts: ['and then'],
      thinking: 'and then',
    })
  })

  it('is the same however the answer is cut into pieces', async () => {
    const part = fc.constantFrom(
      ...['<think>', '</think>', '[THINK]', '[/THINK]', '<seed:think>', '\n', '\n\n', ' ', '```', 'a', 'b c'],
      ...['<', '</', '[', 'é👩‍👩‍👧'],
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
        const letters = (some: string): number => some.match(/[abcé]/g)?.length ?? 0
        if (!/<\/think>|\[\/THINK\]/.test(text))
          expect(letters(whole.said + whole.thoughts.join())).toBe(letters(text))
      }),
    )
  })

  it('takes a long answer of blanks in small pieces, and shows it', async () => {
    const { said } = await split([...Array.from({ length: 20_000 }, () => ' '), 'x'])
    expect(said).toBe('x')
  })
})

describe('a turn whose model thinks between tags', () => {
  it('records what was said and calls nobody whom a thought names, and gives the thought back in the turn', async () => {
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
})
