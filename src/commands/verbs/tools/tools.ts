/**
 * `/tools`: what models have in a room, and what becomes of it in a prompt. tool-words.ts reads patterns, tool-prices.ts knows
 * what is sent, tool-groups.ts writes the lines. This folder must not know how a scope is enforced, nor how rungs are chosen.
 */
import type { Person } from '../../../chat/people/person.ts'
import type { RoomStore } from '../../../chat/ports.ts'
import type { Room } from '../../../chat/room.ts'
import { Refusal } from '../../../chat/errors.ts'
import type { Json } from '../../../lib/json.ts'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import { safeJson } from '../../../lib/safe-json.ts'
import type { ToolList } from '../../../toolbox/tool-list.ts'
import type { Turns } from '../../../turns/turns.ts'
import { WrapError } from '../../../prompt/ports.ts'
import { SCOPE_KEY, scopeText } from '../../../prompt/scope.ts'
import type { McpAdmin } from '../shared/mcp-servers.ts'
import { toolGroups } from './tool-groups.ts'
import { type Prices, pricesIn, promptNow } from './tool-prices.ts'
import { refuseEmpty, scopeOf, toolsNamedBy } from './tool-words.ts'
import { type Caller, type Command, type FlagSpec, JSON_FLAG, Misuse, defineCommand } from '../../command.ts'

type Values = Pick<RoomStore, 'setValue'>

export const toolsCommand = (
  turns: Pick<Turns, 'scope' | 'prompt' | 'names'>,
  rooms: Values,
  mcp: Pick<McpAdmin, 'list'>,
): Command =>
  defineCommand({
    name: 'tools',
    summary:
      'the tools that models have here, by source; on, off, internal or patterns set which (! takes away)',
    room: 'here',
    flags: [LIST_FLAG, JSON_FLAG],
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
    complete: async (here) => [
      ...(here.argument === LIST_FLAG.name ? ['all'] : ['on', 'off']),
      ...namesIn(await turns.scope(here)),
    ],
    async run(context) {
      const { person, room, flags, out } = context
      const query = { room, person }
      const { scope } = context.args
      if (scope.length > 0 && flags.list.length > 0)
        throw new Misuse('--list shows tools and sets no scope; give one of the two')
      if (scope.length > 0) {
        const wanted = scopeOf(scope)
        refuseEmpty(wanted, (await turns.scope(query)).tools, mcp.list)
        await setScope(room, person.name, wanted, rooms)
      }
      const all = await listNow(query, turns, scope.length > 0)
      const list = flags.list.length > 0 ? { ...all, tools: toolsNamedBy(flags.list, all.tools) } : all
      const prices = pricesIn(all, await promptNow(query, turns))
      if (flags.json) return out.line(safeJson(listJson(room.name, list, prices)))
      const shown = scope.length > 0 ? [] : linesFor(list, prices, context)
      out.line([summary(all, prices), ...shown].join('\n'))
      for (const warning of all.warnings) out.warn(warning)
    },
  })

const LIST_FLAG = {
  name: 'list',
  about: 'only the tools that this names, each with its rung or why it is hidden; all names all',
  value: 'PATTERN',
  repeats: true,
} as const satisfies FlagSpec

/** Tools that are listed one by one without being asked for. */
const MAX_LISTED = 60

/** What to type next, as this caller types it. */
function howToSeeMore({ session, room }: Asking): readonly string[] {
  const typed = (verb: string): string => (session ? `/${verb}` : `${verb} ${room.name}`)
  return [
    `${typed('tools')} --list NAME lists those of a group`,
    `${typed('run')} find_tools {"query":"…"} finds some`,
  ]
}

interface Asking extends Caller {
  readonly room: Room
  readonly flags: { readonly list: readonly string[] }
}

/** The tools; of many that were not asked for by name, only the groups, and how to go on. */
function linesFor({ tools }: ToolList, prices: Prices, asking: Asking): readonly string[] {
  const { out, session, flags } = asking
  const isNamed = flags.list.length > 0
  const isLong = !isNamed && tools.length > MAX_LISTED
  // A script's lines are cut by whoever reads them.
  const width = session ? out.columns - 1 : Infinity
  return [
    ...toolGroups(tools, prices, { form: isLong ? 'folded' : 'unfolded', width }),
    ...(isNamed ? [] : prices.others.map(({ name, tokens }) => `${name}  ${tokens} tokens  ${COMES_WITH}`)),
    ...(isLong ? howToSeeMore(asking) : []),
  ]
}

const COMES_WITH = 'comes with what is deferred'

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

async function setScope(room: Room, author: string, scope: Json, rooms: Values): Promise<void> {
  await rooms.setValue(room.name, SCOPE_KEY, scope)
  await room.record({ kind: 'scope', author, scope, text: `tools: ${scopeText(scope)}` })
}

function namesIn({ tools }: ToolList): readonly string[] {
  const groups = tools.flatMap(({ tool }) => [tool.group, tool.source, tool.access])
  return [...new Set([...groups, ...tools.map(({ tool }) => tool.name)])]
}

const summary = ({ scope, visible, tools }: ToolList, { model, tokens }: Prices): string =>
  `scope ${scopeText(scope)}: ${visible} of ${tools.length} tools, ${tokens} tokens${model === undefined ? '' : ` for @${model}`}`

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
