import { Refusal } from '../../../chat/errors.ts'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import type { Json } from '../../../lib/json.ts'
import {
  isGroupWord,
  type KnownServers,
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERNS,
  parseScope,
  unmatchedIn,
} from '../../../prompt/patterns.ts'
import { resolveScope, scopeFromWords, scopeText } from '../../../prompt/scope.ts'
import type { ListedTool } from '../../../toolbox/tool-list.ts'

/** The scope that these words name, cleaned: it is stored, and shown to everybody. Throws `Refusal`. */
export function scopeOf(given: readonly string[]): Json {
  const words = given.map(cleanLine).filter((word) => word !== '')
  if (words.length === 0)
    throw new Refusal('these patterns have nothing visible in them; the scope was not changed')
  if (words.length > MAX_PATTERNS) throw new Refusal(`a scope has at most ${MAX_PATTERNS} patterns`)
  const long = words.find((word) => word.length > MAX_PATTERN_CHARACTERS)
  if (long)
    throw new Refusal(`a pattern has at most ${MAX_PATTERN_CHARACTERS} characters: ${long.slice(0, 40)}…`)
  return scopeFromWords(words)
}

/**
 * Throws `Refusal` if one of the words matches no tool, or all together leave none: nobody means that. Words
 * that name a server without tools are accepted: a refusal would leave the room with tools that it should not
 * have.
 */
export function refuseEmpty(scope: Json, tools: readonly ListedTool[], servers: KnownServers): void {
  // Groups may be empty now, and have tools later.
  if (!Array.isArray(scope) || scope.every((word) => isGroupWord(word))) return
  const parsed = parseScope(scope)
  const catalogue = tools.map(({ tool }) => tool)
  const unmatched = unmatchedIn(parsed, catalogue, servers)
  const { visible, warnings } = resolveScope(scope, catalogue)
  const mistakes =
    parsed.kind === 'patterns' ? unmatched.flatMap(({ awaits, text }) => (awaits ? [] : text)) : warnings
  const canGrow = unmatched.some(({ awaits, pattern }) => awaits && !pattern.negative)
  const isEmpty = mistakes.length === 0 && visible.length === 0 && !canGrow
  const problems = isEmpty
    ? [`${scopeText(scope)} leaves no tool; case counts, and /tools off takes all away`]
    : mistakes
  if (problems.length > 0) throw new Refusal(`${problems.join('; ')}; the scope was not changed`)
}

/**
 * The tools that these words name, hidden or not. Throws `Refusal` where one of the words matches none, or all of them
 * together.
 */
export function toolsNamedBy(words: readonly string[], tools: readonly ListedTool[]): readonly ListedTool[] {
  const wanted = scopeOf(words)
  const { visible, warnings } = resolveScope(
    wanted,
    tools.map(({ tool }) => tool),
  )
  if (warnings.length > 0) throw new Refusal(warnings.join('; '))
  if (visible.length === 0) throw new Refusal(`${scopeText(wanted)} matches no tool`)
  const named = new Set(visible)
  return tools.filter(({ tool }) => named.has(tool))
}
