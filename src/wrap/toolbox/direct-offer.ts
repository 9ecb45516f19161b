import { cleanLine } from '../../base/text/clean-text.ts'
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../base/json.ts'
import { firstSentence } from '../scope/tool-definitions.ts'
import { uniqueTools } from '../scope/tool-names.ts'
import type { CatalogueTool } from '../snapshot.ts'
import { failed, ok } from '../../tools/results/index.ts'
import { isQuery, NO_QUERY, noMatch } from './find-tools.ts'
import { FIND_TOOLS, type CallNames, SEARCH, targetOf, unknownTool } from './offer.ts'

const MAX_SHOWN = 10

/** Resolves all names in scope, for people and agents, who get no definitions. */
export const directOffer: CallNames = {
  resolve(name, now) {
    const listed = now.visible.find((tool) => tool.name === name)
    if (listed) return targetOf(listed, now)
    return name === FIND_TOOLS && now.visible.length > 0 ? SEARCH : undefined
  },
  unknown: (name, { visible }) =>
    unknownTool(
      name,
      visible.map((tool) => tool.name),
      true,
    ),
  async search({ query }, { visible, catalogue }) {
    if (!isQuery(query)) return failed(NO_QUERY)
    const offered = uniqueTools(visible).offered.map(({ tool }) => tool)
    const found = await catalogue.find(query, offered)
    if (found.length === 0) return ok(noMatch(query))
    const lines = found.slice(0, MAX_SHOWN).map(describeTool)
    const more = found.length - lines.length
    return ok([...lines, ...(more > 0 ? [`… and ${more} more; say more of what you need`] : [])].join('\n'))
  },
}

/** Formats `read_file {path: string, limit?: integer}`, and the first sentence of the description. */
const describeTool = ({ name, schema, description }: CatalogueTool): string =>
  [`${name} ${formOf(schema)}`, firstSentence(description)].filter((line) => line !== '').join('\n    ')

const MAX_PARAMETERS = 20

function formOf({ properties, required }: JsonObject): string {
  const needed = new Set(isJsonList(required) ? required : [])
  const all = Object.entries(isJsonObject(properties) ? properties : {})
  const named = all
    .slice(0, MAX_PARAMETERS)
    .map(([key, schema]) => `${cleanLine(key)}${needed.has(key) ? '' : '?'}: ${typeText(schema)}`)
  return `{${[...named, ...(all.length > MAX_PARAMETERS ? ['…'] : [])].join(', ')}}`
}

const MAX_VALUES = 8
const MAX_VALUE_CHARACTERS = 40

function typeText(schema: Json): string {
  if (!isJsonObject(schema)) return 'any'
  const { type, enum: values } = schema
  if (isJsonList(values) && values.length <= MAX_VALUES)
    return values.map((value) => cleanLine(JSON.stringify(value)).slice(0, MAX_VALUE_CHARACTERS)).join('|')
  return typeof type === 'string' ? cleanLine(type) : 'any'
}
