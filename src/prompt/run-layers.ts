import { eachOnce } from './each-once.ts'
import { selectTools, type Selection } from './rungs/select-tools.ts'
import { isJsonObject, type Json, type JsonObject, stableJson } from '../lib/json.ts'
import { MAX_HISTORY_ROWS, readHistoryQuery } from './conversation/conversation-rows.ts'
import { conversationText, historyRows } from './conversation/conversation.ts'
import { type ComposedLayers, type LayerFacts, readLayers } from './layers.ts'
import type { LuaEngine } from './ports.ts'
import type { Pricer } from './price-list.ts'
import { resolveScope, SCOPE_KEY } from './scope.ts'
import type { CatalogueTool, Snapshot } from './snapshot.ts'

/** What one run made. */
export interface LayersRun extends ComposedLayers {
  /** How the layers' last choice of tools came out; absent where they made none. */
  readonly selection?: Selection
}

/**
 * Runs the layers in Lua: gives them their data, answers what they ask meanwhile, and checks what they return.
 * Throws `WrapError`.
 */
export function runLayers(engine: LuaEngine, facts: LayerFacts): LayersRun {
  const { snapshot, target } = facts
  const notes = createNotes()
  facts.printed.length = 0
  let selection: Selection | undefined
  const select = (argument: Json): Json => {
    const { scope = null, words = null } = isJsonObject(argument) ? argument : {}
    selection = selectTools(visibleTools(scope, snapshot, notes.add), words, facts)
    return { ...selection.chosen, text: selection.text }
  }
  const returned = engine.run({
    script: snapshot.script?.source,
    data: luaSnapshot(snapshot, target),
    host: (name, argument) =>
      name === 'select_tools' ? select(argument) : answer(name, argument, facts, notes.add),
    maxOutput: outputLimit(target),
  })
  const composed = readLayers(returned)
  const warnings = [...composed.warnings, ...notes.lines]
  return { ...composed, warnings, ...(selection ? { selection } : {}) }
}

/** Lines that scopes and a script can add to the warnings of one run, or print in one, and characters of each. */
const MAX_NOTES = 50
const MAX_NOTE_CHARACTERS = 500

/** Collects notes for people; the same one again changes nothing. */
function createNotes() {
  const lines: string[] = []
  const add = (line: string): void => {
    if (lines.length < MAX_NOTES && !lines.includes(line)) lines.push(line.slice(0, MAX_NOTE_CHARACTERS))
  }
  return { lines, add }
}

/** Bytes that the layers may return at least; more where the model's window holds more. */
const MIN_OUTPUT_BYTES = 256 * 1024
/** English has about five bytes a token, runs of one character a hundred and more; quoting may double them. */
const OUTPUT_BYTES_PER_TOKEN = 24

const outputLimit = (target: number): number => Math.max(MIN_OUTPUT_BYTES, target * OUTPUT_BYTES_PER_TOKEN)

/**
 * Bytes of the conversation that the layers are given. Even quoted they stay under the limit, so that no number of
 * messages with few tokens and many bytes can keep a room's models from answering.
 */
const conversationLimit = (target: number): number => Math.floor(outputLimit(target) / 3)

/** The module `snapshot` in Lua, without tools and history: for those the layers ask. */
function luaSnapshot(
  { now, room, user, present, model, script, summary }: Snapshot,
  target: number,
): JsonObject {
  const { values, ...description } = room
  return {
    now,
    target,
    values,
    room: description,
    user,
    present: present.map((who) => ({ ...who })),
    model: {
      name: model.name,
      system_prompt: model.systemPrompt,
      context_window: model.contextWindow,
      max_output: model.maxOutput,
      encoding: model.encoding,
      backend: model.backend,
    },
    ...(summary ? { summary: { ...summary } } : {}),
    session: {
      room: room.name,
      model: model.name,
      user: user.name,
      target,
      script_version: script?.version ?? 0,
    },
  }
}

type Note = (line: string) => void

/** Answers what lua/tools.lua asks. Throws for any other name. */
function answer(name: string, argument: Json, facts: LayerFacts, note: Note): Json {
  const { snapshot, target, counter, price } = facts
  switch (name) {
    case 'count_tokens':
      return counter.count(asText(argument))
    case 'available_tools':
      return eachOnce(visibleTools(argument, snapshot, note)).offered.map(({ tool }) =>
        described(tool, price),
      )
    case 'history':
      noteLimit(argument, note)
      return historyRows(snapshot, argument, conversationLimit(target))
    case 'conversation':
      noteLimit(argument, note)
      return conversationText(snapshot, argument, conversationLimit(target))
    case 'log':
      note(logLine(argument))
      return null
    case 'print':
      if (facts.printed.length < MAX_NOTES) facts.printed.push(asText(argument).slice(0, MAX_NOTE_CHARACTERS))
      return null
    case 'room_kv_set':
      throw new Error('tools.room_kv_set: a prompt sets no key-values; after_turn and on_message can')
    default:
      throw new Error(`the host has no ${name}`)
  }
}

/** Tells the author of a script that asks for older rows than a prompt is made from. */
function noteLimit(argument: Json, note: Note): void {
  const { limit, skip } = readHistoryQuery(argument)
  if (limit + skip > MAX_HISTORY_ROWS)
    note(`a prompt is made from the newest ${MAX_HISTORY_ROWS} entries; the script asks for ${limit + skip}`)
}

function visibleTools(scope: Json, { tools, room }: Snapshot, note: Note): readonly CatalogueTool[] {
  const { visible, warnings } = resolveScope(scope, tools)
  // The room's scope is written for all tools: it is no news that some are not for this model or person.
  const isRooms = stableJson(scope) === stableJson(room.values[SCOPE_KEY] ?? 'all')
  if (visible.length === 0 || !isRooms) warnings.forEach(note)
  return visible
}

function described(tool: CatalogueTool, price: Pricer): JsonObject {
  const { id, name, description, schema, source, access } = tool
  return { id, name, description, schema, source, access, tokens: price.of(tool, 'full').sent.tokens }
}

function logLine(argument: Json): string {
  const { level, text } = isJsonObject(argument) ? argument : {}
  return `script (${asText(level)}): ${asText(text)}`
}

/** lua/tools.lua sends text; anything else is written out. */
const asText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)
