import type { Json, JsonObject } from '../lib/json.ts'
import { conversation } from './conversation.ts'
import { historyRows } from './history.ts'
import type { LuaJob, TokenCounter } from './ports.ts'
import type { Pricer } from './price-list.ts'
import type { ToolForm } from './prompt.ts'
import { resolveScope } from './scope.ts'
import type { CatalogueTool, Snapshot } from './snapshot.ts'

/** From dearest to cheapest. */
export const forms: readonly ToolForm[] = ['full', 'short', 'deferred']

/** Lines that a script can log in one composition, and characters in each. */
const mostLines = 50
const longestLine = 500

/** What Lua may ask, for one run. */
export interface Host {
  readonly answer: LuaJob['host']
  /** What scopes and scripts had to say, for people. */
  readonly warnings: readonly string[]
}

/** What one run is given of tools and conversation. */
export interface Given {
  /** Tools are offered in this form or a cheaper one. */
  readonly floor: ToolForm
  /** Tokens that they may have, where that is possible. */
  readonly cap: number
  /** Of history, the newest that are together at most so many bytes. */
  readonly historyBytes: number
}

/** A host for one run. */
export function createHost(snapshot: Snapshot, counter: TokenCounter, price: Pricer, given: Given): Host {
  const warnings: string[] = []
  const note = (line: string): void => {
    if (warnings.length < mostLines && !warnings.includes(line)) warnings.push(line.slice(0, longestLine))
  }
  const visible = (scope: Json): readonly CatalogueTool[] => {
    const resolution = resolveScope(scope, snapshot.tools)
    // A room's scope is written for all tools; that some are not for this model or person is no news here.
    if (resolution.visible.length === 0) resolution.warnings.forEach(note)
    return resolution.visible
  }
  const answers: Readonly<Record<string, (argument: Json) => Json>> = {
    count_tokens: (text) => counter.count(textOf(text)),
    available_tools: (scope) => visible(scope).map((tool) => described(tool, price)),
    select_tools: (scope) => select(visible(scope), price, given),
    history: (query) => historyRows(snapshot, query, given.historyBytes),
    conversation: (query) => conversation(snapshot, query, given.historyBytes).join('\n'),
    log: (line) => {
      const { level, text } = line as JsonObject
      note(`script (${textOf(level)}): ${textOf(text)}`)
      return null
    },
  }
  return {
    warnings,
    answer: (name, argument) => {
      const reply = Object.hasOwn(answers, name) ? answers[name] : undefined
      if (!reply) throw new Error(`the host has no ${name}`)
      return reply(argument)
    },
  }
}

function described(tool: CatalogueTool, price: Pricer): JsonObject {
  const { id, name, description, schema, source } = tool
  return { id, name, description, schema, source, tokens: price(tool, 'full').sent.tokens }
}

function select(tools: readonly CatalogueTool[], price: Pricer, { floor, cap }: Given): JsonObject {
  const allowed = forms.slice(forms.indexOf(floor))
  const form = allowed.find((candidate) => cost(tools, candidate, price) <= cap) ?? 'deferred'
  return { form, ids: tools.map((tool) => tool.id), lines: tools.map((tool) => price(tool, form).line) }
}

/** Tokens of definitions and lines, the heading not counted: what the budget finds out exactly, this finds out early. */
const cost = (tools: readonly CatalogueTool[], form: ToolForm, price: Pricer): number =>
  tools.reduce((sum, tool) => {
    const { sent, lineTokens } = price(tool, form)
    return sum + sent.tokens + lineTokens
  }, 0)

/** lua/tools.lua sends text; anything else is written out. */
const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)
