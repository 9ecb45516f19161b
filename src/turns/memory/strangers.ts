import { outsideSources } from '../../words/outside.ts'
import { keyOfGuest } from '../../words/person.ts'
import type { Entry } from '../../words/entry.ts'
import type { Turn } from '../turn.ts'

/**
 * Names what strangers wrote of the text that a turn has read: results of its tools and of earlier ones, and
 * lines of guests and by HTTP. Files and results of commands are not known to be of strangers.
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
