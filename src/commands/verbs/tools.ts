import type { Person } from '../../chat/people/person.ts'
import type { RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Json } from '../../lib/json.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { ListedTool, ToolList } from '../../toolbox/tool-list.ts'
import type { Turns } from '../../turns/turns.ts'
import { MAX_PATTERN_CHARACTERS, MAX_PATTERNS } from '../../prompt/patterns.ts'
import { WrapError } from '../../prompt/ports.ts'
import type { ToolForm } from '../../prompt/prompt.ts'
import { SCOPE_KEY, scopeFromWords, scopeText } from '../../prompt/scope.ts'
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
    example: 'Gr* !Grep',
    rights: { manage: 'change its tools', when: ({ scope }) => scope.length > 0 },
    complete: async (here) => scopeWords(await turns.scope(here)),
    async run({ person, room, args: { scope }, flags, out }) {
      if (scope.length > 0) await setScope(room, person.name, scopeOf(scope), rooms)
      const list = await turns.scope({ room, person })
      if (!flags.json && scope.length > 0) out.line(summary(list))
      else {
        const forms = await formsNow({ room, person }, turns)
        if (flags.json) return out.line(safeJson(listJson(room.name, list, forms)))
        out.line(table(list, forms))
      }
      for (const warning of list.warnings) out.line(`! ${warning}`)
    },
  })

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

async function setScope(room: Room, author: string, scope: Json, rooms: Values): Promise<void> {
  await rooms.setValue(room.name, SCOPE_KEY, scope)
  await room.record({ kind: 'scope', author, scope, text: `tools: ${scopeText(scope)}` })
}

function scopeWords({ tools }: ToolList): readonly string[] {
  const groups = tools.flatMap(({ tool }) => [tool.group, tool.source, tool.access])
  return [...new Set(['on', 'off', ...groups, ...tools.map(({ tool }) => tool.name)])]
}

const summary = ({ scope, visible, tools, tokens }: ToolList): string =>
  `scope ${scopeText(scope)}: ${visible} of ${tools.length} tools, ${tokens} tokens`

/** How a prompt made now would send each tool, by id. */
type Forms = ReadonlyMap<string, ToolForm>

/** For the model that the list is for, the first one. A prompt that cannot be made sends none; `/wrap` tells why. */
async function formsNow(
  query: { readonly room: Room; readonly person: Person },
  turns: Pick<Turns, 'prompt' | 'names'>,
): Promise<Forms> {
  const [model] = turns.names()
  if (model === undefined) return new Map()
  try {
    const { tools } = await turns.prompt({ ...query, model })
    return new Map(tools.map(({ id, form }) => [id, form]))
  } catch (error) {
    if (error instanceof WrapError) return new Map()
    throw error
  }
}

function table(list: ToolList, forms: Forms): string {
  const width = Math.max(0, ...list.tools.map(({ tool }) => tool.name.length))
  return [summary(list), ...list.tools.map((one) => toolLine(one, width, forms))].join('\n')
}

function toolLine({ tool, visible, reason, tokens }: ListedTool, width: number, forms: Forms): string {
  const facts = `${tool.source.padEnd(8)} ${tool.access.padEnd(7)} ${String(tokens).padStart(5)}`
  const note = visible ? (forms.get(tool.id) ?? '') : reason
  return `${visible ? '+' : '-'} ${tool.name.padEnd(width)} ${facts}${note === '' ? '' : `  ${note}`}`
}

function listJson(room: string, list: ToolList, forms: Forms) {
  return {
    room,
    scope: list.scope,
    tools: list.tools.map(({ tool, visible, reason, tokens }) => ({
      name: tool.name,
      id: tool.id,
      source: tool.source,
      access: tool.access,
      tokens,
      visible,
      reason,
      ...(visible && forms.has(tool.id) ? { form: forms.get(tool.id) } : {}),
    })),
    visible: list.visible,
    tokens: list.tokens,
    warnings: list.warnings,
  }
}
