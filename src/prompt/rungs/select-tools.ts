import { isJsonObject, type Json } from '../../lib/json.ts'
import { eachOnce, type OfferedTool } from '../each-once.ts'
import type { LayerFacts } from '../layers.ts'
import { chooseRungs } from './rungs.ts'
import type { ToolForm } from '../prompt.ts'
import type { CatalogueTool, Snapshot } from '../snapshot.ts'
import { searchTokens, type Selection } from '../tool-offer.ts'
import type { ToolWords } from './tool-text.ts'

/** Chooses the rungs of the tools that a layer asks for, with the words that it gives. */
export function selectTools(
  visible: readonly CatalogueTool[],
  words: Json,
  { snapshot, target, counter, price, allowance }: LayerFacts,
): Selection {
  const { offered } = eachOnce(visible)
  const { framing } = snapshot.model
  const { forms, text, ...rest } = chooseRungs(offered, {
    allowance,
    target: target + (snapshot.inTurn?.reserve ?? 0),
    maxTools: framing.maxTools ?? Infinity,
    searchTokens: searchTokens(framing, counter),
    use: useOf(snapshot),
    words: wordsOf(words),
    price,
    count: (part) => counter.count(part),
  })
  const idsWith = (wanted: ToolForm): readonly string[] =>
    [...forms].flatMap(([one, form]) => (form === wanted ? idsOf(one) : []))
  const chosen = { full: idsWith('full'), short: idsWith('short'), deferred: idsWith('deferred') }
  return { ...rest, chosen, text: offered.length > 0 ? text : '' }
}

const useOf = ({ toolCalls = {}, inTurn }: Snapshot) => ({
  calls: toolCalls,
  found: inTurn?.found ?? [],
  called: inTurn?.called ?? [],
})

const idsOf = ({ tool, standsFor }: OfferedTool): readonly string[] => [
  tool.id,
  ...standsFor.map(({ id }) => id),
]

/** lua/layers/tools.lua gives texts; a script that calls this may give anything. */
function wordsOf(words: Json): ToolWords {
  const { loaded, deferred, more } = isJsonObject(words) ? words : {}
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
  return { loaded: text(loaded), deferred: text(deferred), more: text(more) }
}
