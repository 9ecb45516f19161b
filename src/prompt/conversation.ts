import { indentLater } from '../chat/entry-text.ts'
import type { Entry } from '../chat/entry.ts'
import type { Json } from '../lib/json.ts'
import { newestEntries } from './history.ts'
import { newestWithin } from './output-limit.ts'
import type { Snapshot } from './snapshot.ts'
import { omission } from './trim.ts'

/** Characters of a tool's result that are told again in later turns. */
const longestResult = 400

/**
 * The conversation that Lua asked for as texts, one an entry, oldest first. A later line of an entry is
 * indented, and a tool's result is a later line of its call: whatever starts at the margin is a new speaker.
 * A result whose call is not among the entries stands alone. What is beyond `most` bytes is left out, and
 * that is said.
 */
export function conversation(snapshot: Snapshot, query: Json, most: number): readonly string[] {
  const all = blocksOf(snapshot, query)
  const newest = newestWithin(all, (block) => block, most)
  return newest.length === all.length ? all : [omission, ...newest]
}

function blocksOf(snapshot: Snapshot, query: Json): readonly string[] {
  const blocks: string[] = []
  const calls = new Map<string, number>()
  for (const { entry } of newestEntries(snapshot, query)) {
    const at = entry.kind === 'tool_result' ? calls.get(callKey(entry)) : undefined
    if (at !== undefined) blocks[at] += `\n  ${shown(entry)}`
    else if (entry.kind === 'tool_result') blocks.push(`${entry.author} had a ${shown(entry)}`)
    else blocks.push(shown(entry))
    if (entry.kind === 'tool_call') calls.set(callKey(entry), blocks.length - 1)
  }
  return blocks
}

const callKey = ({ turn, call }: { readonly turn?: string; readonly call: string }): string =>
  `${turn ?? ''}\n${call}`

function shown(entry: Entry): string {
  switch (entry.kind) {
    case 'message':
    case 'reply':
      return `${entry.author}: ${indentLater(entry.text)}`
    case 'action':
      return `* ${entry.author} ${indentLater(entry.text)}`
    case 'tool_call':
      return `${entry.author} called ${entry.name} ${indentLater(JSON.stringify(entry.arguments))}`
    case 'tool_result':
      return `result of ${entry.name}: ${indentLater(clip(entry.text))}`
    default:
      return `[${entry.kind}] ${indentLater(entry.text)}`
  }
}

/** At most so many characters, and a note of how many are missing. */
function clip(text: string): string {
  if (text.length <= longestResult) return text
  const characters = Array.from(text)
  const missing = characters.length - longestResult
  if (missing <= 0) return text
  return `${characters.slice(0, longestResult).join('')}… [${missing} more characters]`
}
