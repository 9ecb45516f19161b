import { utf8Bytes } from '../lib/bytes.ts'
import { definitionOf, definitionTokens, lineOf } from './definitions.ts'
import type { Framing } from './framing.ts'
import type { TokenCounter } from './ports.ts'
import type { PromptTool, ToolForm } from './prompt.ts'
import type { CatalogueTool } from './snapshot.ts'

/** One tool in one form: what is sent, its line in the prompt, and what both cost. */
export interface PricedTool {
  readonly sent: PromptTool
  /** Ends with its line break, so that the tokens of the lines add up to the tokens of the text. */
  readonly line: string
  readonly lineTokens: number
}

/** Prices in one encoding and with one provider's framing. */
export interface Pricer {
  /** Counts the tool in this form when it is first asked for. */
  of(tool: CatalogueTool, form: ToolForm): PricedTool
  /** Bytes of the definition: how dear it is, about, without counting. */
  bytes(tool: CatalogueTool, form: 'full' | 'short'): number
}

/** Gives the pricer for a provider's framing and a counter. */
export type PriceList = (framing: Framing, counter: TokenCounter) => Pricer

/** A price is worked out once for as long as the tool's object and the list live. */
export function createPriceList(): PriceList {
  const pricers = new WeakMap<TokenCounter, Map<string, Pricer>>()
  return (framing, counter) => {
    // Each snapshot may bring its own copy of the framing, so its figure is compared, not the objects.
    const key = `${framing.perTool}`
    const known = pricers.get(counter) ?? new Map<string, Pricer>()
    pricers.set(counter, known)
    const pricer = known.get(key) ?? createPricer(framing, counter)
    known.set(key, pricer)
    return pricer
  }
}

function createPricer(framing: Framing, counter: TokenCounter): Pricer {
  return {
    of: oncePerForm((tool, form) => priceOf(tool, form, framing, counter)),
    bytes: oncePerForm((tool, form) => utf8Bytes(JSON.stringify(definitionOf(tool, form)))),
  }
}

/** Works something out once for each tool and form. */
function oncePerForm<Form extends ToolForm, T>(
  work: (tool: CatalogueTool, form: Form) => T,
): (tool: CatalogueTool, form: Form) => T {
  const known = new WeakMap<CatalogueTool, Map<Form, T>>()
  return (tool, form) => {
    const forms = known.get(tool) ?? new Map<Form, T>()
    known.set(tool, forms)
    const found = forms.get(form)
    if (found !== undefined) return found
    const made = work(tool, form)
    forms.set(form, made)
    return made
  }
}

function priceOf(tool: CatalogueTool, form: ToolForm, framing: Framing, counter: TokenCounter): PricedTool {
  const line = lineOf(tool, form)
  return { sent: sentAs(tool, form, framing, counter), line, lineTokens: counter.count(line) }
}

function sentAs(tool: CatalogueTool, form: ToolForm, framing: Framing, counter: TokenCounter): PromptTool {
  const { id, name } = tool
  if (form === 'deferred') return { id, name, form, tokens: 0 }
  const definition = definitionOf(tool, form)
  return { id, name, form, tokens: definitionTokens(definition, framing, counter), definition }
}
