import { cleanLine } from '../lib/text/clean-text.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../lib/json.ts'
import { firstSentence, findToolsDefinition } from '../prompt/tool-definitions.ts'
import { eachOnce } from '../prompt/tool-names.ts'
import type { CatalogueTool } from '../prompt/snapshot.ts'
import { failed, ok, type ToolResult } from '../tools/result.ts'
import { targetOf, type Offer, unknownTool } from './offer.ts'
import type { ToolsInReach } from './scoped-tools.ts'
import { isQuery, NO_QUERY, noMatch } from './find-tools.ts'

const FIND_TOOLS = findToolsDefinition.name

/**
 * The offer to a person or an agent, who is sent no definitions: each name stands for the tool of that name
 * in the scope of now. `find_tools` is there wherever there is anything to find.
 */
export const directOffer: Offer = {
  resolve(name, now) {
    const listed = now.visible.find((tool) => tool.name === name)
    if (listed) return targetOf(listed, now)
    return name === FIND_TOOLS && now.visible.length > 0 ? { kind: 'search', id: FIND_TOOLS } : undefined
  },
  unknown(name, { visible }) {
    const names = visible.map((tool) => tool.name)
    return unknownTool(name, names, true)
  },
  search,
}

/** Tools that one search shows. */
const MAX_SHOWN = 10

async function search({ query }: JsonObject, { visible, catalogue }: ToolsInReach): Promise<ToolResult> {
  if (!isQuery(query)) return failed(NO_QUERY)
  const { offered } = eachOnce(visible)
  const found = await catalogue.find(
    query,
    offered.map(({ tool }) => tool),
  )
  if (found.length === 0) return ok(noMatch(query))
  const more =
    found.length > MAX_SHOWN ? [`… and ${found.length - MAX_SHOWN} more; say more of what you need`] : []
  return ok([...found.slice(0, MAX_SHOWN).map(shown), ...more].join('\n'))
}

/**
 * A tool with what it takes, so that it can be called: `read_file {path: string, limit?: integer}`, and what
 * it does.
 */
const shown = ({ name, schema, description }: CatalogueTool): string =>
  [`${name} ${parameters(schema)}`, firstSentence(description)].filter((line) => line !== '').join('\n    ')

/** Parameters that are named. */
const MAX_PARAMETERS = 20

function parameters({ properties, required }: JsonObject): string {
  const needed = new Set(isJsonList(required) ? required : [])
  const all = Object.entries(isJsonObject(properties) ? properties : {})
  const named = all
    .slice(0, MAX_PARAMETERS)
    .map(([key, schema]) => `${cleanLine(key)}${needed.has(key) ? '' : '?'}: ${typeIn(schema)}`)
  return `{${[...named, ...(all.length > MAX_PARAMETERS ? ['…'] : [])].join(', ')}}`
}

/** Values that are named in place of their type, and characters of them. */
const MAX_VALUES = 8
const MAX_VALUE_CHARACTERS = 40

function typeIn(schema: Json): string {
  if (!isJsonObject(schema)) return 'any'
  const { type, enum: values } = schema
  if (isJsonList(values) && values.length <= MAX_VALUES)
    return values.map((value) => cleanLine(JSON.stringify(value)).slice(0, MAX_VALUE_CHARACTERS)).join('|')
  return typeof type === 'string' ? cleanLine(type) : 'any'
}
