import { describe, expect, it } from 'vitest'
import type { PromptTool } from '../../../src/prompt/prompt.ts'
import { createCatalogue } from '../../../src/toolbox/catalogue.ts'
import { createOffer, createOfferedSoFar } from '../../../src/toolbox/offer.ts'
import { memoryLog } from '../../support/chat-parts.ts'
import { promptTool, samplePrompt } from '../../support/model-request.ts'
import { tool } from '../../support/turn-world.ts'

const tools = [tool('a'), tool('b'), tool('alias', undefined, { aliasOf: 'a' })]
const catalogue = createCatalogue({
  sources: [{ group: 'builtin', name: 'builtin', tools: () => tools }],
  disabled: [],
  log: memoryLog(),
})()
const reach = { visible: catalogue.tools, catalogue }
const parts = () => ({
  offered: createOfferedSoFar(),
  space: () => 0,
  found: () => {},
  weigh: async () => [],
})
const deferred = (name: string): PromptTool => ({ id: name, name, form: 'deferred', tokens: 0 })
const both = { ...promptTool('a'), standsFor: ['alias'] }

describe('the offer of a later request of a turn', () => {
  it('still has what it defers, as it was sent before, and nothing that was only ever deferred', () => {
    const turn = parts()
    createOffer(samplePrompt({ tools: [both, deferred('b')] }), reach, turn)
    const later = createOffer(
      samplePrompt({ tools: [{ ...deferred('a'), standsFor: ['alias'] }, deferred('b')] }),
      reach,
      turn,
    )
    expect(['a', 'alias', 'b'].map((name) => later.resolve(name, reach)?.id)).toEqual([
      'a',
      'alias',
      undefined,
    ])
    expect(later.sentAs('alias')).toEqual(both)
    expect(later.definitions).toEqual([])
  })

  it('has nothing that the script of the room or a scope leaves out since', () => {
    const turn = parts()
    createOffer(samplePrompt({ tools: [both, promptTool('b')] }), reach, turn)
    const later = createOffer(samplePrompt({ tools: [promptTool('b')] }), reach, turn)
    expect(['a', 'alias'].map((name) => later.resolve(name, reach))).toEqual([undefined, undefined])
    expect(later.sentAs('a')).toBeUndefined()
    const without = { ...reach, visible: catalogue.tools.filter(({ id }) => id !== 'b') }
    expect(later.resolve('b', without)).toBeUndefined()
  })

  it('has nothing that has changed since it was offered', () => {
    const turn = parts()
    createOffer(samplePrompt({ tools: [promptTool('b')] }), reach, turn)
    const changed = catalogue.tools.map((one) => (one.id === 'b' ? { ...one, description: 'Other.' } : one))
    const later = createOffer(samplePrompt({ tools: [deferred('b')] }), { ...reach, visible: changed }, turn)
    expect(later.resolve('b', { ...reach, visible: changed })).toBeUndefined()
  })
})
