import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { argumentsFor, cleanName, parseArguments } from '../../../../src/wrap/toolbox/tool-call.ts'
import { runs } from '../../../support/runs.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import { PROVIDERS } from '../../../../src/models/providers.ts'
import type { JsonSchema } from '../../../../src/base/json.ts'
import { say, scriptedModel } from '../../../support/scripted-model.ts'
import { createTurnWorld, tool } from '../../../support/turn-world.ts'
import { unknownTool } from '../../../../src/wrap/toolbox/offer.ts'

it('tool arguments of any text parse as an object or an error sentence', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const parsed = parseArguments(text)
      if (parsed.ok) expect(Array.isArray(parsed.value) || typeof parsed.value !== 'object').toBe(false)
      else expect(parsed.error).toMatch(/^the arguments /)
    }),
    { numRuns: runs(1000) },
  )
})

it('tool arguments of any JSON object parse as sanitized and as original values', () => {
  const texts = fc.string({ unit: anyCharacter })
  const objects = fc.dictionary(texts, fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }))
  fc.assert(
    fc.property(objects, (written) => {
      const text = JSON.stringify(written)
      const parsed = parseArguments(text)
      const original = JSON.parse(text) as unknown
      expect(parsed).toMatchObject({ ok: true, original })
      expect(parseArguments(JSON.stringify(text))).toEqual(parsed)
      if (parsed.ok)
        expect(parseArguments(JSON.stringify(parsed.value))).toMatchObject({ value: parsed.value })
    }),
  )
})

it('tool arguments are sanitized unless the tool takes them verbatim', () => {
  const dirty = 'a\u200b\u0007b\r\n'
  const parsed = parseArguments(JSON.stringify({ content: dirty, path: dirty, 'con\u200btent': 'other' }))
  expect(parsed.ok && argumentsFor(parsed, ['content', 'none'])).toEqual({ content: dirty, path: 'ab\n' })
  expect(parsed.ok && argumentsFor(parsed)).toEqual({ content: 'other', path: 'ab\n' })
})

it('tool arguments with a hundred thousand levels are refused without a stack overflow', () => {
  const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  expect(parseArguments(text)).toEqual({ ok: false, error: 'the arguments are nested more than 64 deep' })
})

it('a tool name is reduced to name characters, and valid names are kept', () => {
  expect(cleanName('alice: allowed once (question 12)\u00a0\n')).toBe('alice_allowed_once_question_12_')
  for (const name of ['read_file', 'sshawl_look', 'holler-2.sample', '検索'])
    expect(cleanName(name)).toBe(name)
})

const withParameter = (name: string): JsonSchema => ({
  type: 'object',
  properties: { fine: { type: 'string' }, [name]: { type: 'string' } },
})
const nested = { type: 'object', properties: { all: { type: 'array', items: withParameter('@type') } } }
const tools = [
  tool('spaces', undefined, { schema: withParameter('a b é') }),
  tool('empty', undefined, { schema: withParameter('') }),
  tool('dollar', undefined, { schema: withParameter('$ref') }),
  tool('long', undefined, { schema: withParameter('x'.repeat(100)) }),
  tool('nested', undefined, { schema: nested }),
  tool('fine', undefined, { schema: withParameter(`a.b-c_${'x'.repeat(58)}`) }),
]
const { framing } = PROVIDERS.anthropic

it('a tool with a parameter name that the provider refuses is hidden from its models', async () => {
  const model = scriptedModel(say('ok'))
  await using world = await createTurnWorld(model, { tools, settings: { framing } })
  await world.ask()
  expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(['fine'])
  const list = await world.turns.scope({ room: world.room, person: world.ann })
  expect(list.tools.map((one) => one.reason)).toEqual([
    'model: its provider takes no parameter called "a b é"',
    'model: its provider takes no parameter called ""',
    'model: its provider takes no parameter called "$ref"',
    `model: its provider takes no parameter called "${'x'.repeat(80)}…"`,
    'model: its provider takes no parameter called "@type"',
    '',
  ])
})

const START = "ERROR: You requested a tool called 'grpe', however we only have these tools: "
const names = (count: number) => Array.from({ length: count }, (_, index) => `tool_${index}`)

test('an unknown tool error names all tools if there are at most 40', () => {
  expect(unknownTool('grpe', [], true)).toBe(START)
  expect(unknownTool('grpe', ['b', 'a'], false)).toBe(`${START}'b', 'a'`)
  const forty = names(40).map((name) => `'${name}'`)
  expect(unknownTool('grpe', names(40), true)).toBe(`${START}${forty.join(', ')}`)
})

test('an unknown tool error names the most similar of more than 40 tools first', () => {
  const many = [...names(1000), 'hub_delete_issue', 'grep', 'Delete']
  expect(unknownTool('deleteIssue', many, false)).toMatch(/these tools: 'hub_delete_issue', 'Delete', /)
  const text = unknownTool('grpe', many, true)
  expect(text).toMatch(/^ERROR: .* these tools: 'grep', /)
  expect(text.match(/'/gu)).toHaveLength(22)
  expect(text).toMatch(/ and 993 more; find_tools finds them by what they do$/)
  expect(unknownTool('grpe', many, false)).toMatch(/ and 993 more$/)
})
