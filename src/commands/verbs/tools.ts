import { entryJson } from '../../words/entry-text.ts'
import type { ToolResultEntry } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { safeJson } from '../../base/json.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import {
  findToolsDefinition,
  isGroupWord,
  type KnownServers,
  MAX_PATTERN_CHARACTERS,
  MAX_PATTERNS,
  parseScope,
  unmatchedPatterns,
  modelScopeKey,
  resolveScope,
  SCOPE_KEY,
  scopeFromWords,
  scopeText,
} from '../../wrap/scope/index.ts'
import type { ListedTool, ToolList } from '../../turns/index.ts'
import { arg, flag, JSON_FLAG, Misuse, text, type RoomContext, type Output } from '../command.ts'
import { ALLOW_FLAG, callerPermissions, modelNamed } from './answer.ts'
import { refuseWrap, verb, type Services } from './common.ts'
import { pricesOf, promptNow, toolLines, type Prices } from './tool-list.ts'

const LIST_FLAG = flag('list', 'lists only these tools, and why one is hidden; all lists every tool', {
  value: 'PATTERN',
  repeats: true,
})

export const tools = verb({
  name: 'tools',
  summary:
    'list the tools that models have here, by source, or change them by on, off, internal or patterns (! removes tools); after @MODEL the choice is for that model alone',
  room: 'here',
  flags: [LIST_FLAG, JSON_FLAG],
  arguments: [
    arg(
      'scope',
      'a model (@qwen); on, off, internal, read, write, execute, network, or names of tools, with * and !',
      {
        optional: true,
        takes: 'words',
      },
    ),
  ],
  example: 'read !Grep',
  rights: { manage: 'change its tools', when: ({ scope }) => modelAndScope(scope).words.length > 0 },
  complete: {
    list: async (where, { turns }) => ['all', ...scopeWords(await turns.scope(where))],
    scope: async (where, { turns }) => [
      ...(where.given.length === 0 ? turns.names().map((name) => `@${name}`) : []),
      ...['on', 'off', ...scopeWords(await turns.scope(where))],
    ],
  },
  async run(context, services) {
    const { person, room, args, flags, out } = context
    const { model: named, words } = modelAndScope(args.scope)
    const model = named === undefined ? undefined : modelNamed(named, await askable(room, services, words))
    const query = { room, person, ...(model === undefined ? {} : { model }) }
    const hasChanged = words.length > 0
    if (hasChanged && flags.list.length > 0)
      throw new Misuse('--list shows tools and sets no scope; give one of the two')
    if (hasChanged) await setScope(services, query, words)
    const all = await services.turns.scope(query).catch(refuseWrap)
    const list = flags.list.length > 0 ? { ...all, tools: toolsNamedBy(flags.list, all.tools) } : all
    const prices = pricesOf(all, await promptNow(query, services.turns))
    if (flags.json)
      return out.line(
        safeJson({ ...listJson(room.name, list, prices), ...(model === undefined ? {} : { model }) }),
      )
    const shown = hasChanged ? [] : linesFor(list.tools, prices, context, flags.list.length > 0)
    out.line([summary(all, prices), ...shown].join('\n'))
    for (const warning of all.warnings) out.warn(warning)
  },
})

/** A persona's tools are shown here, but set by /persona. */
const askable = async (room: RoomContext['room'], { turns }: Services, words: readonly string[]) =>
  words.length > 0 ? turns.names() : await turns.personas.namesIn(room.name)

type ToolQuery = Pick<RoomContext, 'room' | 'person'> & { readonly model?: string }

/** Splits `@qwen read !Grep`. No tool name begins with `@`. */
function modelAndScope(scope: readonly string[]) {
  const [first, ...others] = scope
  return first?.startsWith('@') ? { model: first, words: others } : { words: scope }
}

export const scopeWords = ({ tools }: ToolList): readonly string[] => {
  const groups = tools.flatMap(({ tool }) => [tool.group, tool.source, tool.access])
  return [...new Set([...groups, ...tools.map(({ tool }) => tool.name)])]
}

/** Throws `Refusal`, and changes nothing, for words that match no tool. */
async function setScope(
  services: Services,
  { room, person, model }: ToolQuery,
  words: readonly string[],
): Promise<void> {
  const { stores } = services
  const scope = await checkedScope(services, { room, person }, words, '; the scope was not changed')
  const facts = { kind: 'scope', author: person.name, scope } as const
  if (model === undefined) {
    await stores.chat.rooms.setValue(room.name, SCOPE_KEY, scope)
    return void (await room.record({ ...facts, text: `tools: ${scopeText(scope)}` }))
  }
  await stores.chat.rooms.setValue(room.name, modelScopeKey(model), scope === 'all' ? undefined : scope)
  await room.record({ ...facts, model, text: `tools of @${model}: ${scopeText(scope)}` })
}

/** Rejects with `Refusal` for words that match no tool. `consequence` is the end of its message. */
export async function checkedScope(
  { turns, mcp }: Pick<Services, 'turns' | 'mcp'>,
  where: Pick<RoomContext, 'room' | 'person'>,
  words: readonly string[],
  consequence = '',
): Promise<string | readonly string[]> {
  const scope = scopeOf(words)
  const problems = problemsOf(scope, (await turns.scope(where)).tools, mcp.list)
  if (problems.length > 0) throw new Refusal(`${problems.join('; ')}${consequence}`)
  return scope
}

/** Returns the scope of the words, sanitized, since it is stored and shown to everybody. Throws `Refusal`. */
function scopeOf(given: readonly string[]): string | readonly string[] {
  const words = given.map(cleanLine).filter((word) => word !== '')
  if (words.length === 0)
    throw new Refusal('the patterns have no visible character; the scope was not changed')
  if (words.length > MAX_PATTERNS) throw new Refusal(`a scope has at most ${MAX_PATTERNS} patterns`)
  const long = words.find((word) => word.length > MAX_PATTERN_CHARACTERS)
  if (long)
    throw new Refusal(`a pattern has at most ${MAX_PATTERN_CHARACTERS} characters: ${long.slice(0, 40)}…`)
  return scopeFromWords(words)
}

/**
 * Returns problems if one of the words matches no tool, or all words together leave no tool. Accepts words
 * for a server without tools: a refusal would leave the room with tools that it should not have.
 */
function problemsOf(
  scope: string | readonly string[],
  tools: readonly ListedTool[],
  servers: KnownServers,
): readonly string[] {
  // Groups may be empty now, and have tools later.
  if (typeof scope === 'string' || scope.every((word) => isGroupWord(word))) return []
  const parsed = parseScope(scope)
  const catalogue = tools.map(({ tool }) => tool)
  const unmatched = unmatchedPatterns(parsed, catalogue, servers)
  const { visible, warnings } = resolveScope(scope, catalogue)
  const mistakes =
    parsed.kind === 'patterns'
      ? unmatched.flatMap(({ awaits, text: word }) => (awaits ? [] : word))
      : warnings
  const canGrow = unmatched.some(({ awaits, pattern }) => awaits && !pattern.negative)
  const isEmpty = mistakes.length === 0 && visible.length === 0 && !canGrow
  return isEmpty
    ? [`${scopeText(scope)} leaves no tool; case counts, and /tools off takes all away`]
    : mistakes
}

/** Returns tools by name, even hidden ones. Throws `Refusal` if one word, or all together, match no tool. */
function toolsNamedBy(words: readonly string[], tools: readonly ListedTool[]): readonly ListedTool[] {
  const wanted = scopeOf(words)
  const { visible, warnings } = resolveScope(
    wanted,
    tools.map(({ tool }) => tool),
  )
  if (warnings.length > 0) throw new Refusal(warnings.join('; '))
  if (visible.length === 0) throw new Refusal(`${scopeText(wanted)} matches no tool`)
  const visibleTools = new Set(visible)
  return tools.filter(({ tool }) => visibleTools.has(tool))
}

/** The most tools that are listed one by one without `--list`. */
const MAX_LISTED = 60

/** Lists the tools. More than MAX_LISTED tools without a name are listed by group, with the next commands. */
function linesFor(
  tools: readonly ListedTool[],
  prices: Prices,
  { out, session, room }: RoomContext,
  isNamed: boolean,
): readonly string[] {
  const isLong = !isNamed && tools.length > MAX_LISTED
  // A script's lines are not wrapped.
  const width = session ? out.columns - 1 : Infinity
  const typed = (verb: string): string => (session ? `/${verb}` : `${verb} ${room.name}`)
  const lines = [...toolLines(tools, prices, isLong ? 'folded' : 'unfolded', width)]
  if (!isNamed)
    for (const { name, tokens } of prices.others)
      lines.push(`${name}  ${tokens} tokens  sent if any tool is deferred`)
  if (isLong) lines.push(`${typed('tools')} --list NAME lists the tools of a group`)
  if (isLong) lines.push(`${typed('run')} find_tools {"query":"…"} finds some`)
  return lines
}

const summary = ({ scope, modelScope, visible, tools }: ToolList, { model, tokens }: Prices): string =>
  `scope ${scopeText(scope)}${modelScope === undefined ? '' : `, of @${model} ${scopeText(modelScope)}`}: ${visible} of ${tools.length} tools, ${tokens} tokens${model === undefined ? '' : ` for @${model}`}`

const listJson = (
  room: string,
  { scope, modelScope, tools, visible, warnings }: ToolList,
  prices: Prices,
) => ({
  room,
  scope,
  ...(modelScope === undefined ? {} : { model_scope: modelScope }),
  tools: tools.map((one) => {
    const { name, id, source, access } = one.tool
    const form = prices.formOf(one)
    const facts = { tokens: prices.of(one), visible: one.visible, reason: one.reason }
    return { name, id, source, access, ...facts, ...(form === undefined ? {} : { form }) }
  }),
  visible,
  tokens: prices.tokens,
  warnings,
})

export const run = verb({
  name: 'run',
  summary: 'run a tool yourself: /run calculator 2+2, or /run calculator {"expression":"2+2"}',
  room: 'here',
  flags: [JSON_FLAG, ALLOW_FLAG],
  arguments: [
    arg('tool', 'the name of the tool, as /tools lists it'),
    text('json', 'the arguments; if the tool needs just one text or number, you may leave out the JSON', {
      optional: true,
    }),
  ],
  example: 'calculator {"expression":"2+2"}',
  complete: {
    async tool(where, { turns }) {
      const { tools } = await turns.scope(where)
      return [...tools.map(({ tool }) => tool.name), findToolsDefinition.name]
    },
  },
  async run(context, services) {
    const { room, person, args, flags, signal, out, session, inBackground } = context
    const how = await callerPermissions(services, context, flags.allow)
    const call = { room, person, tool: args.tool, args: args.json ?? '', signal, ...how }
    const result = services.runs.run(call)
    if (!session) return printResult(out, await result, flags.json)
    // The session goes on, so that the person can answer the tool's question.
    inBackground(result.then((entry) => showResult(out, entry, flags.json)))
  },
})

/** Limit of a result that the room's row shows whole, in any window. */
const SHOWN_UNITS = 12

/** Prints the parts of a result that the room does not show: results, and errors of several lines. */
function showResult(out: Output, entry: ToolResultEntry, asJson: boolean): void {
  if (asJson) return out.line(safeJson(entryJson(entry)))
  const isShown = entry.text.length <= SHOWN_UNITS && !entry.text.includes('\n')
  if (entry.isError ? entry.text.includes('\n') : !isShown) out.line(entry.text)
}

function printResult(out: Output, entry: ToolResultEntry, asJson: boolean): void | false {
  if (asJson) out.line(safeJson(entryJson(entry)))
  else if (entry.isError) out.warn(entry.text)
  else out.write(entry.text.endsWith('\n') ? entry.text : `${entry.text}\n`)
  return entry.isError ? false : undefined
}
