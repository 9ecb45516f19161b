import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wrapChart } from '../../../../../src/commands/verbs/shared/wrap-chart.ts'
import { plainOf } from '../../../../../src/lib/text/styled.ts'
import { renderText } from '../../../../../src/session/drawing/render-entry.ts'
import { chooseTheme } from '../../../../../src/session/drawing/theme.ts'
import type { LayerReport } from '../../../../../src/prompt/prompt.ts'
import { promptTool, samplePrompt } from '../../../../support/model-request.ts'

const layer = (name: string, tokens: number, more: Partial<LayerReport> = {}): LayerReport => ({
  name,
  priority: 0,
  placement: 'system',
  tokens,
  status: 'kept',
  note: '',
  ...more,
})
const budget = {
  ...{ window: 1100, reserved_output: 100, target: 1000, used: 755 },
  ...{ system: 200, context: 400, message: 50, tools: 100, framing: 5 },
}
const prompt = samplePrompt({
  budget,
  layers: [
    layer('system', 200),
    layer('tools', 100, { priority: 50 }),
    layer('room', 0, {
      priority: 20,
      placement: 'context',
      status: 'dropped',
      note: 'needs 9 tokens, 0 are left',
    }),
    layer('history', 400, {
      priority: -1.5,
      placement: 'context',
      status: 'trimmed',
      note: 'the newest 3 of 9',
    }),
  ],
  tools: [promptTool('Grep'), { id: 'x', name: 'longer_name', form: 'deferred', tokens: 0 }],
  warnings: ['the script asks\u001b[2J for more'],
})

test('a prompt is drawn as one bar with a legend, and every number in it is exact', () => {
  expect(plainOf(wrapChart('qwen', prompt, 41)).split('\n')).toEqual([
    '@qwen: 755 of 1000 tokens (75.5%), o200k_base',
    'system 200 + context 400 + message 50 + tools 100 + framing 5 = 755',
    '████████▒▒▒▒░░░░░░░░░░░░░░░░▓▓··········',
    '█ system  system     0     200  20.0%  kept',
    '▒ tools   system    50     100  10.0%  kept',
    '▚ room    context   20       0   0.0%  dropped: needs 9 tokens, 0 are left',
    '░ history context -1.5     400  40.0%  trimmed: the newest 3 of 9',
    '▓ message                   50   5.0%  what is answered',
    '▞ framing                    5   0.5%  what the provider adds',
    '· free 245; 100 more are kept for the answer, of 1100',
    'tools: 2 (1 full, 1 deferred)',
    '  Grep            10  full',
    '  longer_name      0  deferred',
    '! the script asks for more',
  ])
})

test('the bar is as long as the terminal is wide, whatever is in the prompt', () => {
  const layers = fc.array(fc.nat(5000), { maxLength: 30 })
  fc.assert(
    fc.property(layers, fc.nat(5000), fc.integer({ min: 12, max: 400 }), (tokens, target, columns) => {
      const used = tokens.reduce((sum, one) => sum + one, 0)
      const chart = wrapChart(
        'qwen',
        samplePrompt({
          budget: { ...budget, target, used, message: 0, framing: 0 },
          layers: tokens.map((count, index) => layer(`l${index}`, count)),
        }),
        columns,
      )
      expect(plainOf(chart).split('\n')[2]).toHaveLength(columns - 1)
    }),
  )
})

test('parts side by side are told apart without colour, and have colours of their own where there are any', () => {
  const chart = wrapChart('qwen', prompt, 100)
  const [, , bar] = chart.lines
  for (const [index, span] of bar!.slice(1).entries()) {
    expect(span.text[0] ?? '').not.toBe(bar![index]!.text[0])
    expect(span.tint).not.toBe(bar![index]!.tint)
  }
  const mono = renderText(chart, { columns: 99, theme: chooseTheme('vt100', {}) })
  const colour = renderText(chart, { columns: 99, theme: chooseTheme('xterm-256color', {}) })
  expect(mono).not.toContain('\u001b')
  // oxlint-disable-next-line no-control-regex -- what is looked for is exactly these
  expect(colour.replaceAll(/\u001b\[\d+m/g, '')).toBe(mono)
  // oxlint-disable-next-line no-control-regex -- what is looked for is exactly these
  const tints = colour.split('\n')[2]!.match(/\u001b\[[1-9]\d*m/g)!
  expect(new Set(tints).size).toBe(5)
})
