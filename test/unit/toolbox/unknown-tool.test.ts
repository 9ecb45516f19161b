import { expect, test } from 'vitest'
import { unknownTool } from '../../../src/toolbox/offer.ts'

const START = "ERROR: You requested a tool called 'grpe', however we only have these tools: "
const names = (count: number) => Array.from({ length: count }, (_, index) => `tool_${index}`)

test('up to 40 tools are all named', () => {
  expect(unknownTool('grpe', [], true)).toBe(START)
  expect(unknownTool('grpe', ['b', 'a'], false)).toBe(`${START}'b', 'a'`)
  const forty = names(40).map((name) => `'${name}'`)
  expect(unknownTool('grpe', names(40), true)).toBe(`${START}${forty.join(', ')}`)
})

test('of more, those with the same words come first, then those written most like it', () => {
  const many = [...names(1000), 'hub_delete_issue', 'grep', 'Delete']
  expect(unknownTool('deleteIssue', many, false)).toMatch(/these tools: 'hub_delete_issue', 'Delete', /)
  const text = unknownTool('grpe', many, true)
  expect(text).toMatch(/^ERROR: .* these tools: 'grep', /)
  expect(text.match(/'/gu)).toHaveLength(22)
  expect(text).toMatch(/ and 993 more; find_tools finds them by what they do$/)
  expect(unknownTool('grpe', many, false)).toMatch(/ and 993 more$/)
})
