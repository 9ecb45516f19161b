import { expect, test } from 'vitest'
import fc from 'fast-check'
import type { TurnId } from '../../../../src/words/entry.ts'
import {
  createCommandWorld,
  createCommandWorldWith,
  jsonOf,
  refused,
} from '../../../support/commands/command-world.ts'
import { anotherModel } from '../../../support/turn-world.ts'
import { plainOf, spokenText } from '../../../../src/base/text/styled.ts'
import { renderText } from '../../../../src/terminal/drawing/entry-rows.ts'
import { chooseTheme } from '../../../../src/terminal/drawing/theme.ts'
import { toolGroups } from '../../../../src/commands/pages/prompt-report.ts'
import type { LayerReport } from '../../../../src/wrap/prompt.ts'
import { promptTool, samplePrompt } from '../../../support/model-request.ts'
import { wrapChart } from '../../../../src/commands/verbs/wrap.ts'

test('/wrap draws the prompt of the first model, and with full also prints its text', async () => {
  await using world = await createCommandWorld()
  for (const words of ['wrap', 'wrap @qwen', 'wrap QWEN'])
    expect((await world.type(world.bob, words)).out[0]).toMatch(/^@qwen: \d+ of 7000 tokens/)
  for (const words of ['wrap full', 'wrap qwen full']) {
    const [text, picture] = (await world.type(world.bob, words)).out
    expect(text).toContain('hall')
    expect(picture).toMatch(/^@qwen: \d+ of 7000 tokens/)
  }
})

test('/wrap without a name draws the prompt of the model that was asked last in the room', async () => {
  await using world = await createCommandWorldWith({ more: [anotherModel('gpt')] })
  const { rooms, storage } = world.turnWorld.chatParts
  const room = (await rooms.get('hall', world.ann)).name
  for (const [index, model] of ['gpt', 'qwen', 'gpt'].entries()) {
    const id = `t${index}` as TurnId
    await storage.models.turns.begin({ id, room, model, requester: 'ann', startedAt: index })
    expect(jsonOf(await world.exec(world.bob, 'wrap hall --json'))).toMatchObject({ model })
  }
})

test('/wrap refuses unknown words and reports a script that fails', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'wrap qwem')).toEqual(
    refused('there is no model called @qwem; did you mean @qwen?'),
  )
  const { rooms, storage } = world.turnWorld.chatParts
  const room = (await rooms.get('hall', world.ann)).name
  await storage.prompts.scripts.put({ room, source: 'error("no prompt today")', author: 'ann', at: 0 })
  const { status, err } = await world.type(world.bob, 'wrap')
  expect({ status, told: err.join() }).toEqual({ status: 1, told: expect.stringContaining('no prompt') })
})

test('/wrap with a question composes the prompt as if it were asked, also after the word full', async () => {
  await using world = await createCommandWorld()
  for (const line of ['wrap qwen full why is it red?', 'wrap full why is it red?']) {
    const { out } = await world.type(world.bob, line)
    expect(out.join('\n')).toContain('bob: @qwen why is it red?')
  }
  const [folded = ''] = (await world.type(world.bob, 'wrap qwen why is it red?')).out
  expect(folded).toMatch(/ message +\d+ /)
  expect(folded).not.toContain('why is it red?')
})

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
    layer('tools', 100, { priority: 50, definitions: 80 }),
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
const groups = toolGroups(prompt.tools, new Map([['Grep', 'wrapped']]))
const chart = (columns: number, form?: 'unfolded'): readonly string[] =>
  plainOf(wrapChart({ model: 'qwen', prompt, groups }, columns, form)).split('\n')

test('the prompt chart is one bar with a table of exact token counts below', () => {
  expect(chart(80)).toEqual([
    '@qwen: 755 of 1000 tokens (75.5%), o200k_base',
    'system message 200 + context 400 + message 50 + definitions 100 + framing 5 = 755',
    '████████████████▒▚▚▚▚▚▚▚▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▞▞▞▞▙···················',
    '  part           tokens  share  place    priority  state',
    '█ system            200  20.0%  system          0  kept',
    '▒ tools              20   2.0%  system         50  kept',
    '▚ definitions        80   8.0%                     2 tools',
    '    wrapped          10   1.0%                     1 full',
    '    longer_name       0   0.0%                     1 deferred',
    '░ room                0   0.0%  context        20',
    '      dropped: needs 9 tokens, 0 are left',
    '▓ history           400  40.0%  context      -1.5  trimmed: the newest 3 of 9',
    '▞ message            50   5.0%                     what is answered',
    '▙ framing             5   0.5%                     what the provider adds',
    '· free 245; window 1100: 100 for the answer',
    '! the script asks for more',
  ])
})

test('the prompt chart of a narrow terminal drops whole columns but no token count', () => {
  expect(chart(40).slice(2)).toEqual([
    '████████▒▚▚▚▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▞▞··········',
    '  part           tokens  share  note',
    '█ system            200  20.0%  kept',
    '▒ tools              20   2.0%  kept',
    '▚ definitions        80   8.0%  …',
    '    wrapped          10   1.0%  …',
    '    longer_name       0   0.0%  …',
    '░ room                0   0.0%',
    '      dropped: needs 9 tokens, 0 are',
    '      left',
    '▓ history           400  40.0%',
    '      trimmed: the newest 3 of 9',
    '▞ message            50   5.0%  …',
    '▙ framing             5   0.5%  …',
    '· free 245; window 1100: 100 for the answer',
    '! the script asks for more',
  ])
})

test('the spoken prompt chart has all numbers but no bar and no symbols', () => {
  const heard = spokenText(wrapChart({ model: 'qwen', prompt, groups }, 80)).split('\n')
  const drawn = chart(80)
  expect(heard).toEqual([
    ...drawn.slice(0, 2),
    ...drawn.slice(3, -1).map((line) => line.slice(2)),
    drawn.at(-1),
  ])
  expect(heard.join('\n')).toMatch(/^[ -~\n]*$/)
})

test('the unfolded prompt chart gives each tool a line', () => {
  expect(chart(80, 'unfolded').slice(6, 11)).toEqual([
    '▚ definitions          80   8.0%                     2 tools',
    '    wrapped            10   1.0%                     1 full',
    '      Grep             10   1.0%                     full',
    '    longer_name         0   0.0%                     1 deferred',
    '      longer_name       0   0.0%                     deferred',
  ])
})

test('the prompt chart aligns the token counts of groups and tools in one column', () => {
  const tools = fc.array(fc.record({ name: fc.stringMatching(/^[a-z_]{1,30}$/), tokens: fc.nat(5000) }), {
    minLength: 1,
    maxLength: 40,
  })
  fc.assert(
    fc.property(tools, fc.integer({ min: 70, max: 200 }), (list, columns) => {
      const shown = list.map(({ name, tokens }) => ({ id: name, name, tokens, form: 'full' as const }))
      const one = { model: 'qwen', prompt: { ...prompt, tools: shown }, groups: toolGroups(shown, new Map()) }
      const lines = plainOf(wrapChart(one, columns, 'unfolded')).split('\n')
      const at = lines[3]!.indexOf('tokens') + 'tokens'.length
      for (const line of lines.slice(4, 8)) expect(line.slice(at - 1, at)).toMatch(/\d/)
    }),
  )
})

test('the bar of the prompt chart fills the width of the terminal', () => {
  const layers = fc.array(fc.nat(5000), { maxLength: 30 })
  fc.assert(
    fc.property(layers, fc.nat(5000), fc.integer({ min: 12, max: 400 }), (tokens, target, columns) => {
      const used = tokens.reduce((sum, one) => sum + one, 0)
      const other = samplePrompt({
        budget: { ...budget, target, used, message: 0, framing: 0 },
        layers: tokens.map((count, index) => layer(`l${index}`, count)),
      })
      const chart = wrapChart({ model: 'qwen', prompt: other, groups: [] }, columns)
      expect(plainOf(chart).split('\n')[2]).toHaveLength(columns - 1)
    }),
  )
})

test('adjacent parts of the prompt bar differ in symbol and in colour', () => {
  const chart = wrapChart({ model: 'qwen', prompt, groups }, 100)
  const [, , bar] = chart.lines
  for (const [index, span] of bar!.slice(1).entries()) {
    expect(span.text[0] ?? '').not.toBe(bar![index]!.text[0])
    expect(span.tint).not.toBe(bar![index]!.tint)
  }
  const mono = renderText(chart, { columns: 99, theme: chooseTheme('vt100', {}) })
  const colour = renderText(chart, { columns: 99, theme: chooseTheme('xterm-256color', {}) })
  expect(mono).not.toContain('\u001b')
  // oxlint-disable-next-line no-control-regex -- what is looked for is exactly these
  expect(colour.replaceAll(/\u001b\[[\d;]+m/g, '')).toBe(mono)
  // oxlint-disable-next-line no-control-regex -- what is looked for is exactly these
  const tints = colour.split('\n')[2]!.match(/\u001b\[[1-9][\d;]*m/g)!
  expect(new Set(tints).size).toBe(5)
})
