import { eachOnce } from './tool-names.ts'
import { selectTools } from './rungs.ts'
import { isJsonObject, type Json, type JsonObject, stableJson } from '../lib/json.ts'
import { MAX_HISTORY_ROWS, readHistoryQuery, conversationTexts, historyRows } from './history.ts'
import { joinEntries, type EntryText } from './entry-texts.ts'
import {
  chosenOf,
  type ComposedLayers,
  conversationLimit,
  type Layer,
  type LayerFacts,
  outputLimit,
  readLayers,
} from './layers.ts'
import type { LuaEngine } from './ports.ts'
import type { Pricer } from './tool-definitions.ts'
import type { CounterCache } from './compose-cache.ts'
import { resolveScope, SCOPE_KEY } from './scope.ts'
import type { CatalogueTool, Snapshot } from './snapshot.ts'
import { offeredOf, type Selection } from './tool-offer.ts'

/**
 * Runs the layers in Lua: gives them their data, answers what they ask meanwhile, and checks what they return.
 * Throws `WrapError`.
 */
export function runLayers(engine: LuaEngine, facts: LayerFacts, known: CounterCache): ComposedLayers {
  const { snapshot, target } = facts
  const notes = createNotes()
  facts.printed.length = 0
  const selections: Selection[] = []
  const conversations = new Map<string, readonly EntryText[]>()
  const host = (name: string, argument: Json): Json => {
    if (name === 'selected_text') return selections.at(-1)?.text ?? ''
    if (name === 'conversation') return conversation(argument, { ...facts, known }, notes.add, conversations)
    // What was chosen stays here, and Lua names it by its place: a thousand names would take longer than all the rest.
    if (name === 'select_tools') return selections.push(select(argument, facts, known, notes.add))
    if (name === 'selected_tools') return selectedTools(chosenOf(selections, argument), facts)
    return answer(name, argument, facts, notes.add)
  }
  const data = luaSnapshot(snapshot, target)
  const maxOutput = outputLimit(target)
  const composed = readLayers(
    engine.run({ script: snapshot.script?.source, data, host, maxOutput }),
    selections,
  )
  const warnings = [...composed.warnings, ...notes.lines]
  const layers = composed.layers.map((layer) => withEntries(layer, conversations.get(layer.text)))
  return { ...composed, layers, warnings }
}

/** Chooses the tools that a layer shows; the same again where nothing has changed. */
function select(argument: Json, facts: LayerFacts, known: CounterCache, note: Note): Selection {
  const { snapshot, target, allowance } = facts
  const { scope = null, words = null } = isJsonObject(argument) ? argument : {}
  const { toolCalls, inTurn, model, room } = snapshot
  const key = [scope, words, room.values[SCOPE_KEY], target, allowance, toolCalls, inTurn, model.framing]
  const { selection, notes } = known.selections(snapshot.tools, JSON.stringify(key), () => {
    const heard: string[] = []
    const visible = visibleTools(scope, snapshot, (line) => heard.push(line))
    return { selection: selectTools(visible, words, facts), notes: heard }
  })
  notes.forEach(note)
  return selection
}

/** A layer with what its text is made of, where it is trimmed by that. */
const withEntries = (layer: Layer, entries: readonly EntryText[] | undefined): Layer =>
  entries && layer.trim === 'oldest' ? { ...layer, entries } : layer

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

/** The conversation as one text; what it is made of is kept in `made`. */
function conversation(
  argument: Json,
  { snapshot, target, known }: LayerFacts & { readonly known: CounterCache },
  note: Note,
  made: Map<string, readonly EntryText[]>,
): string {
  noteLimit(argument, note)
  const entries = conversationTexts(snapshot, argument, conversationLimit(target), known.texts)
  const text = joinEntries('', entries)
  // Other texts are split again where they are trimmed, as a text is that a script wrote.
  if (entries.every((entry) => entry.beginsAtMargin())) made.set(text, entries)
  return text
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

/** The chosen tools with what the model gets of each. */
const selectedTools = ({ chosen }: Selection, { snapshot, price }: LayerFacts): Json =>
  offeredOf(snapshot.tools, chosen).map(({ tool, form }) => {
    const { tokens, definition } = price.of(tool, form).sent
    const { description = '', parameters: schema = {} } = definition ?? {}
    const { id, name, source, access } = tool
    return { id, name, description, schema, source, access, tokens, form }
  })

function logLine(argument: Json): string {
  const { level, text } = isJsonObject(argument) ? argument : {}
  return `script (${asText(level)}): ${asText(text)}`
}

/** lua/tools.lua sends text; anything else is written out. */
const asText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)
