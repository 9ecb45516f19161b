import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolForm } from '../../../../src/prompt/prompt.ts'
import type { ListedTool, ToolList } from '../../../../src/toolbox/tool-list.ts'
import { promptTool, samplePrompt } from '../../../support/model-request.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'
import { pricesIn, toolLines } from '../../../../src/commands/verbs/tool-list.ts'

const listed = (source: string, id: string, reason = ''): ListedTool => ({
  tool: catalogue(sampleTool(id, { source }))[0]!,
  visible: reason === '',
  reason,
  tokens: 100,
})
const listOf = (tools: readonly ListedTool[]): ToolList => ({
  ...{ scope: 'all', tools, visible: 0, tokens: 0, warnings: [] },
})
const sent = (id: string, form: ToolForm, tokens: number) => ({ ...promptTool(id), form, tokens })

const tools = [
  listed('builtin', 'look'),
  listed('holler', 'holler_sample'),
  listed('holler', 'holler_of_a_very_long_name_that_is_longer_than_a_line'),
  listed('builtin', 'grep', 'Grep stands for it'),
  listed('builtin', 'say', 'role: guests may use only tools that read, this one has write access'),
  listed('builtin', 'left'),
]
const prompt = samplePrompt({
  tools: [sent('look', 'short', 40), sent('holler_sample', 'deferred', 0), sent('find_tools', 'full', 71)],
})
const lines = (form: 'folded' | 'unfolded', width: number, some = tools) =>
  toolLines(some, pricesIn(listOf(some), { model: 'qwen', prompt }), form, width)

describe('the groups of tools', () => {
  test('have their number, their tokens and what became of them', () => {
    expect(lines('folded', 80)).toEqual([
      'builtin  4 tools  40 tokens  1 short, 1 not sent, 2 hidden',
      'holler   2 tools   0 tokens  1 deferred, 1 not sent',
    ])
  })

  test('have their tools below them, each with its rung or why it is left out', () => {
    expect(lines('unfolded', Infinity)).toEqual([
      'builtin  4 tools  40 tokens  1 short, 1 not sent, 2 hidden',
      '+ look                                                   read   40  short',
      '- grep                                                   read  100  Grep stands for it',
      '- say                                                    read  100  role: guests may use only tools that read, this one has write access',
      '+ left                                                   read  100  not sent, /wrap tells why',
      'holler   2 tools   0 tokens  1 deferred, 1 not sent',
      '+ holler_sample                                          read    0  deferred',
      '+ holler_of_a_very_long_name_that_is_longer_than_a_line  read  100  not sent, /wrap tells why',
    ])
  })

  test('stand in 40 columns, with what has no space below', () => {
    expect(lines('unfolded', 39)).toEqual([
      'builtin  4 tools  40 tokens',
      '    1 short, 1 not sent, 2 hidden',
      '+ look',
      '    read  40  short',
      '- grep',
      '    read  100  Grep stands for it',
      '- say',
      '    read  100  role: guests may use',
      '    only tools that read, this one has',
      '    write access',
      '+ left',
      '    read  100  not sent, /wrap tells',
      '    why',
      'holler   2 tools   0 tokens',
      '    1 deferred, 1 not sent',
      '+ holler_sample',
      '    read  0  deferred',
      '+ holler_of_a_very_long_name_that_is_longer_than_a_line',
      '    read  100  not sent, /wrap tells',
      '    why',
    ])
  })

  test('say why all of one are hidden, and nothing of rungs where no prompt can be made', () => {
    const off = ['a', 'b'].map((id) => listed('holler', id, 'room: tools are off'))
    expect(lines('folded', 80, off)).toEqual(['holler  2 tools  0 tokens  2 hidden (room: tools are off)'])
    const prices = pricesIn(listOf(tools), { model: 'qwen' })
    expect(toolLines(tools, prices, 'folded', 80)).toEqual([
      'builtin  4 tools  200 tokens  2 hidden',
      'holler   2 tools  200 tokens',
    ])
    expect(toolLines([], prices, 'unfolded', 80)).toEqual([])
  })

  test('lose no tool and no group at any width, and only a name is longer than a line', () => {
    const anyListed = fc
      .record({
        source: fc.constantFrom('builtin', 'holler', 'a-server-of-thirty-two-characters'),
        id: fc.string({ unit: fc.constantFrom('a', 'b', '_', '7'), minLength: 1, maxLength: 64 }),
        reason: fc.constantFrom('', '', 'Grep stands for it', 'room: not in the scope'),
      })
      .map(({ source, id, reason }) => listed(source, id, reason))
    fc.assert(
      fc.property(
        fc.array(anyListed, { maxLength: 30 }),
        fc.integer({ min: 10, max: 120 }),
        (some, width) => {
          const all = lines('unfolded', width, some)
          const words = all.join(' ').split(/ +/)
          for (const { tool, reason } of some) {
            expect(words).toContain(tool.name)
            expect(words).toContain(tool.source)
            for (const word of reason.split(' ')) expect(words.join(' ')).toContain(word)
          }
          expect(all.filter((line) => /^[+-]/.test(line))).toHaveLength(some.length)
          for (const line of all)
            if (
              line
                .trim()
                .replace(/^[+-] /, '')
                .includes(' ')
            )
              expect(line.length).toBeLessThanOrEqual(width)
        },
      ),
    )
  })
})
