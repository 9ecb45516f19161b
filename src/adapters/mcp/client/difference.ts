import { structuredPatch } from 'diff'
import { stableJson } from '../../../lib/json.ts'
import type { McpDefinition } from './definition.ts'

/** A tool that is withheld, and how it differs from what holds. */
export interface ToolDifference {
  readonly id: string
  /** False for a tool that was never seen, of a server with too many of them. */
  readonly isKnown: boolean
  /** What is other than before, for people: lines that begin with `-`, `+` or a blank. */
  readonly lines: readonly string[]
}

/** Lines around a change that are shown, too. */
const CONTEXT = 2

/** What differs in more lines is shown as a whole: who wrote it chose how long a comparison takes. */
const MAX_EDITS = 1_000

/** How a definition differs from the one that holds, if there is any. */
export function differenceOf(
  id: string,
  now: McpDefinition,
  before: McpDefinition | undefined,
): ToolDifference {
  const [old, fresh] = [before ? readable(before) : '', readable(now)]
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS }
  const patch = structuredPatch('', '', old, fresh, undefined, undefined, options)
  const lines = patch
    ? patch.hunks.flatMap((hunk, at) => (at === 0 ? hunk.lines : ['  …', ...hunk.lines]))
    : [...marked('-', old), ...marked('+', fresh)]
  return { id, isKnown: before !== undefined, lines }
}

/** Every line of a text. */
const marked = (mark: string, text: string): readonly string[] =>
  text.split('\n').map((line) => `${mark}${line}`)

/** All that is pinned, a property a line. */
const readable = ({ title, description, readOnly, closedWorld, schema }: McpDefinition): string =>
  `${[
    `title: ${title}`,
    'description:',
    ...description.split('\n').map((line) => `  ${line}`),
    `says that it only reads: ${yes(readOnly)}`,
    `says that it reaches nothing outside: ${yes(closedWorld)}`,
    'schema:',
    ...JSON.stringify(JSON.parse(stableJson(schema)), undefined, 2)
      .split('\n')
      .map((line) => `  ${line}`),
  ].join('\n')}\n`

const yes = (is: boolean): string => (is ? 'yes' : 'no')
