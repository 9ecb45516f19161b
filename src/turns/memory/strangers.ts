import { outsideSources } from '../../words/outside.ts'
import { keyOfGuest } from '../../words/person.ts'
import type { Entry } from '../../words/entry.ts'
import type { Turn } from '../turn.ts'

/**
 * Names the sources of strangers' texts that a turn has read: results of its tools and of earlier ones, and
 * lines of guests and by HTTP. Strangers are not known to have written files or results of commands.
 */
export function textsOfStrangers({
  step,
  messages,
  message,
}: Pick<Turn, 'step' | 'messages' | 'message'>): readonly string[] {
  const lines = [message, ...(step?.rows ?? []).map(({ entry }) => entry)]
  const results = messages.flatMap((one) => (one.role === 'tool' ? outsideSources(one.content) : []))
  return [...new Set([...lines.flatMap(sourcesOf), ...results.map(resultName)])]
}

function sourcesOf(entry: Entry): readonly string[] {
  if (entry.kind === 'tool_result' && entry.outside) return [resultName(entry.outside.from)]
  if (entry.kind === 'message' && entry.posted) return ['lines that came by HTTP']
  return entry.by !== undefined && keyOfGuest(entry.by) !== undefined ? ['lines of guests'] : []
}

const resultName = (from: string): string => `what the ${from} says`
