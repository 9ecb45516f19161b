import type { Person } from '../../chat/people/person.ts'
import type { RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Json } from '../../lib/json.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { ListedTool, ToolList } from '../../toolbox/tool-list.ts'
import type { Turns } from '../../turns/turns.ts'
import { isGroupWord, MAX_PATTERN_CHARACTERS, MAX_PATTERNS } from '../../prompt/patterns.ts'
import { WrapError } from '../../prompt/ports.ts'
import type { Prompt } from '../../prompt/prompt.ts'
import { resolveScope, SCOPE_KEY, scopeFromWords, scopeText } from '../../prompt/scope.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'

type Values = Pick<RoomStore, 'setValue'>

export const toolsCommand = (turns: Pick<Turns, 'scope' | 'prompt' | 'names'>, rooms: Values): Command =>
  defineCommand({
    name: 'tools',
    summary: 'the tools that models have here; on, off, internal or patterns set which (! takes away)',
    room: 'here',
    flags: [JSON_FLAG],
    arguments: [
      {
        name: 'scope',
        about: 'on, off, internal, read, write, execute, network, or names of tools, with * and !',
        optional: true,
        takes: 'words',
      },
    ],
    example: 'read !Grep',
    rights: { manage: 'change its tools', when: ({ scope }) => scope.length > 0 },
    complete: async (here) => scopeWords(await turns.scope(here)),
    async run({ person, room, args: { scope }, flags, out }) {
      if (scope.length > 0) {
        const wanted = scopeOf(scope)
        refuseEmpty(wanted, await turns.scope({ room, person }))
        await setScope(room, person.name, wanted, rooms)
      }
      const list = await listNow({ room, person }, turns, scope.length > 0)
      const prices = pricesIn(list, await promptNow({ room, person }, turns))
      if (flags.json) return out.line(safeJson(listJson(room.name, list, prices)))
      out.line(scope.length > 0 ? summary(list, prices) : table(list, prices))
      for (const warning of list.warnings) out.warn(warning)
    },
  })

/** Throws `Refusal` where the tools cannot be counted, which changes nothing of the scope. */
async function listNow(
  query: { readonly room: Room; readonly person: Person },
  turns: Pick<Turns, 'scope'>,
  hasChanged: boolean,
): Promise<ToolList> {
  try {
    return await turns.scope(query)
  } catch (error) {
    if (!(error instanceof WrapError)) throw error
    const done = hasChanged ? 'the scope was changed, but its tools' : 'the tools'
    throw new Refusal(`${done} cannot be counted now (${cleanLine(error.message)}); try again with tools`, {
      cause: error,
    })
  }
}

/** The scope that these words name, cleaned: it is stored, and shown to everybody. Throws `Refusal`. */
function scopeOf(given: readonly string[]): Json {
  const words = given.map(cleanLine).filter((word) => word !== '')
  if (words.length === 0)
    throw new Refusal('these patterns have nothing visible in them; the scope was not changed')
  if (words.length > MAX_PATTERNS) throw new Refusal(`a scope has at most ${MAX_PATTERNS} patterns`)
  const long = words.find((word) => word.length > MAX_PATTERN_CHARACTERS)
  if (long)
    throw new Refusal(`a pattern has at most ${MAX_PATTERN_CHARACTERS} characters: ${long.slice(0, 40)}…`)
  return scopeFromWords(words)
}

/** Throws `Refusal` where one of the words matches no tool, or all of them together leave none: nobody means that by them. */
function refuseEmpty(scope: Json, { tools }: ToolList): void {
  // Groups may be empty now, and have tools later.
  if (!Array.isArray(scope) || scope.every((word) => isGroupWord(word))) return
  const { visible, warnings } = resolveScope(
    scope,
    tools.map(({ tool }) => tool),
  )
  const isEmpty = warnings.length === 0 && visible.length === 0
  const problems = isEmpty
    ? [`${scopeText(scope)} leaves no tool; case counts, and /tools off takes all away`]
    : warnings
  if (problems.length > 0) throw new Refusal(`${problems.join('; ')}; the scope was not changed`)
}

async function setScope(room: Room, author: string, scope: Json, rooms: Values): Promise<void> {
  await rooms.setValue(room.name, SCOPE_KEY, scope)
  await room.record({ kind: 'scope', author, scope, text: `tools: ${scopeText(scope)}` })
}

function scopeWords({ tools }: ToolList): readonly string[] {
  const groups = tools.flatMap(({ tool }) => [tool.group, tool.source, tool.access])
  return [...new Set(['on', 'off', ...groups, ...tools.map(({ tool }) => tool.name)])]
}

const summary = ({ scope, visible, tools }: ToolList, { model, tokens }: Prices): string =>
  `scope ${scopeText(scope)}: ${visible} of ${tools.length} tools, ${tokens} tokens${model === undefined ? '' : ` for @${model}`}`

/** The prompt of the first model, and its name; no prompt where none can be made, and `/wrap` tells why. */
interface PromptNow {
  readonly model?: string
  readonly prompt?: Prompt
}

async function promptNow(
  query: { readonly room: Room; readonly person: Person },
  turns: Pick<Turns, 'prompt' | 'names'>,
): Promise<PromptNow> {
  const [model] = turns.names()
  if (model === undefined) return {}
  try {
    return { model, prompt: await turns.prompt({ ...query, model }) }
  } catch (error) {
    if (error instanceof WrapError) return { model }
    throw error
  }
}

/** What tools cost: the same numbers as in `/wrap`. */
interface Prices {
  readonly model?: string
  /** Of all definitions that are sent. */
  readonly tokens: number
  /** Of a tool as it is sent; of one that is not sent, what it would take in full. */
  of(tool: ListedTool): number
  /** How a visible tool is sent; empty where that is not known. */
  noteOf(tool: ListedTool): string
  readonly formOf: (tool: ListedTool) => string | undefined
  /** What is sent besides the tools of the list. */
  readonly others: readonly { readonly name: string; readonly tokens: number }[]
}

function pricesIn(list: ToolList, { model, prompt }: PromptNow): Prices {
  const sent = new Map(prompt?.tools.map((tool) => [tool.id, tool]))
  const sentAs = ({ tool, visible }: ListedTool) => (visible ? sent.get(tool.id) : undefined)
  const listed = new Set(list.tools.map(({ tool }) => tool.id))
  return {
    ...(model === undefined ? {} : { model }),
    tokens: prompt ? prompt.budget.tools : list.tokens,
    of: (one) => sentAs(one)?.tokens ?? one.tokens,
    formOf: (one) => sentAs(one)?.form,
    noteOf: (one) => sentAs(one)?.form ?? (prompt ? 'not sent, /wrap tells why' : ''),
    others: prompt?.tools.filter(({ id }) => !listed.has(id)) ?? [],
  }
}

function table(list: ToolList, prices: Prices): string {
  const names = [...list.tools.map(({ tool }) => tool.name), ...prices.others.map(({ name }) => name)]
  const width = Math.max(0, ...names.map((name) => name.length))
  return [
    summary(list, prices),
    ...list.tools.map((one) => toolLine(one, width, prices)),
    ...prices.others.map(({ name, tokens }) =>
      lineOf('+', name.padEnd(width), '', '', tokens, 'comes with what is deferred'),
    ),
  ].join('\n')
}

function toolLine(one: ListedTool, width: number, prices: Prices): string {
  const { tool, visible, reason } = one
  const note = visible ? prices.noteOf(one) : reason
  return lineOf(visible ? '+' : '-', tool.name.padEnd(width), tool.source, tool.access, prices.of(one), note)
}

const lineOf = (
  mark: string,
  name: string,
  source: string,
  access: string,
  tokens: number,
  note: string,
): string =>
  `${mark} ${name} ${source.padEnd(8)} ${access.padEnd(7)} ${String(tokens).padStart(5)}${note === '' ? '' : `  ${note}`}`

function listJson(room: string, list: ToolList, prices: Prices) {
  return {
    room,
    scope: list.scope,
    tools: list.tools.map((one) => ({
      name: one.tool.name,
      id: one.tool.id,
      source: one.tool.source,
      access: one.tool.access,
      tokens: prices.of(one),
      visible: one.visible,
      reason: one.reason,
      ...(prices.formOf(one) === undefined ? {} : { form: prices.formOf(one) }),
    })),
    visible: list.visible,
    tokens: prices.tokens,
    warnings: list.warnings,
  }
}
