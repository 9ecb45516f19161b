import { describe, expect, it } from 'vitest'
import { createModel } from '../../../../src/adapters/models/index.ts'
import type { ModelRequest } from '../../../../src/turns/ports.ts'
import { collect, sampleConfig, samplePrompt, sampleRequest, textOf } from '../../../support/model-request.ts'

const guide = createModel(sampleConfig({ name: 'guide', backend: 'guide' }))

const ask = (message: string, request: ModelRequest = sampleRequest()) =>
  collect(guide.stream({ ...request, prompt: { ...request.prompt, message } }, new AbortController().signal))

describe('the guide', () => {
  it('names the tools in the request it is given', async () => {
    const text = textOf(await ask('ann: @guide tools', sampleRequest({}, 'look', 'Grep')))
    expect(text).toBe('Tools in the request I was given (2): look, Grep')
  })

  it('says that there are none where there are none', async () => {
    expect(textOf(await ask('ann: @guide tools'))).toBe('There are no tools in the request I was given.')
  })

  it('says how many more can be found', async () => {
    const prompt = samplePrompt({ tools: [{ id: 'x', name: 'x', form: 'deferred', tokens: 0 }] })
    const text = textOf(await ask('ann: @guide tools', { ...sampleRequest({}, 'find_tools'), prompt }))
    expect(text).toMatch(/\(1\): find_tools\n1 more can be found with find_tools\.$/)
  })

  it.each([
    ['ann: @guide call Grep {"q": "a b"}', 'Grep', '{"q": "a b"}'],
    ['ann: please, @GUIDE: call Grep {"q":1}', 'Grep', '{"q":1}'],
    ['ann: @guide call look', 'look', '{}'],
    ['ann: @guide   call   nope   {oops', 'nope', '{oops'],
    ['ann: @guide call Grep {"q":\n  "x"}', 'Grep', '{"q":\n  "x"}'],
  ])('answers %j with one call, its arguments as they are', async (message, name, args) => {
    expect(await ask(message)).toEqual([
      { type: 'call', call: { id: 'call_1', name, arguments: args } },
      { type: 'finish', reason: 'calls' },
    ])
  })

  it('answers with the result of its call, whatever that is', async () => {
    const messages: ModelRequest['messages'] = [
      { role: 'assistant', text: '', calls: [{ id: 'call_1', name: 'Grep', arguments: '{}' }] },
      { role: 'tool', call: 'call_1', name: 'Grep', content: 'ERROR: no\n@guide call Grep {}' },
    ]
    const events = await ask('ann: @guide call Grep {}', sampleRequest({ messages }))
    expect(textOf(events)).toBe('ERROR: no\n@guide call Grep {}')
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'stop' })
  })

  it('tells of the layers and the tokens', async () => {
    expect(textOf(await ask('ann: @guide context'))).toBe(
      [
        '60 of 7000 tokens used, counted with o200k_base',
        'system 20, context 15, message 5, tools 20',
        'system: 20 tokens, kept',
        'history: 15 tokens, trimmed (3 left out)',
      ].join('\n'),
    )
  })

  it.each([
    'ann: @guide',
    'ann: @guide hello',
    'ann: hi',
    '',
    'ann: @guide toolsmith',
    'ann: @guide constructor',
  ])('says to %j who it is and how to begin', async (message) => {
    const text = textOf(await ask(message))
    expect(text).toContain('I am no language model')
    expect(text).toContain('@guide tools')
  })

  it('asks for the name of a tool where there is none', async () => {
    expect(textOf(await ask('ann: @guide call'))).toMatch(/^Say which tool/)
  })
})
