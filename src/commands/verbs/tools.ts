import type { RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Json } from '../../lib/json.ts'
import type { ListedTool, ToolList } from '../../toolbox/tool-list.ts'
import type { Turns } from '../../turns/turns.ts'
import { SCOPE_KEY } from '../../toolbox/scoped-tools.ts'
import { scopeFromWords } from '../../prompt/scope.ts'
import { JSON_FLAG, type Command } from '../command.ts'
import { needManager } from '../rights.ts'

const MOST_PATTERNS = 100
const LONGEST_PATTERN = 200

export const toolsCommand = (turns: Turns, rooms: RoomStore): Command => ({
  name: 'tools',
  summary: 'the tools that models have here; on, off, internal or patterns set which (! takes away)',
  room: 'here',
  flags: [JSON_FLAG],
  parameters: [{ name: 'scope', optional: true, takes: 'words' }],
  async run({ person, room, args, flags, out }) {
    if (args['scope'] !== undefined) {
      await needManager(room!, person, 'change its tools')
      await setScope(room!, person.name, scopeOf(args['scope'].split(' ')), rooms)
    }
    const list = await turns.scope({ room: room!, person })
    if (flags['json']) return out.line(JSON.stringify(listJson(room!.name, list)))
    out.line(args['scope'] === undefined ? table(list) : summary(list))
    for (const warning of list.warnings) out.line(`! ${warning}`)
  },
})

function scopeOf(words: readonly string[]): Json {
  if (words.length > MOST_PATTERNS) throw new Refusal(`a scope has at most ${MOST_PATTERNS} patterns`)
  const long = words.find((word) => word.length > LONGEST_PATTERN)
  if (long) throw new Refusal(`a pattern has at most ${LONGEST_PATTERN} characters: ${long.slice(0, 40)}…`)
  return scopeFromWords(words)
}

async function setScope(room: Room, author: string, scope: Json, rooms: RoomStore): Promise<void> {
  await rooms.setValue(room.name, SCOPE_KEY, scope)
  await room.record({ kind: 'scope', author, scope, text: `tools: ${scopeText(scope)}` })
}

/** A scope in the words that set it. */
export const scopeText = (scope: Json): string =>
  Array.isArray(scope) ? scope.join(' ') : typeof scope === 'string' ? scope : JSON.stringify(scope)

const summary = ({ scope, visible, tools, tokens }: ToolList): string =>
  `scope ${scopeText(scope)}: ${visible} of ${tools.length} tools, ${tokens} tokens`

function table(list: ToolList): string {
  const width = Math.max(0, ...list.tools.map(({ tool }) => tool.name.length))
  return [summary(list), ...list.tools.map((one) => toolLine(one, width))].join('\n')
}

function toolLine({ tool, visible, reason, tokens }: ListedTool, width: number): string {
  const facts = `${tool.source.padEnd(8)} ${tool.access.padEnd(7)} ${String(tokens).padStart(5)}`
  return `${visible ? '+' : '-'} ${tool.name.padEnd(width)} ${facts}${visible ? '' : `  ${reason}`}`
}

function listJson(room: string, list: ToolList) {
  return {
    room,
    scope: list.scope,
    tools: list.tools.map(({ tool, visible, reason, tokens }) => ({
      ...{ name: tool.name, id: tool.id, source: tool.source, access: tool.access },
      ...{ tokens, visible, reason },
    })),
    visible: list.visible,
    tokens: list.tokens,
    warnings: list.warnings,
  }
}
