import { isJsonObject, type Json, type JsonObject, stableJson } from '../base/json.ts'
import { indentLater } from '../words/entry-text.ts'
import type { CounterCache } from './compose-cache.ts'
import { type EntryText, joinEntries } from './entry-texts.ts'
import { conversationTexts, historyRows, MAX_HISTORY_ROWS, readHistoryQuery } from './history.ts'
import {
  selectionAt,
  type ComposedLayers,
  conversationLimit,
  type Layer,
  type LayerFacts,
  outputLimit,
  readLayers,
  type Selection,
} from './layers.ts'
import type { LuaEngine } from './ports.ts'
import { MEMORY_OF_ASKER } from './prompt.ts'
import { selectTools, toolsWithForms } from './scope/rungs.ts'
import { resolveScope, SCOPE_KEY } from './scope/scope.ts'
import type { CatalogueTool, Snapshot } from './snapshot.ts'
import { uniqueTools } from './scope/tool-names.ts'

/** Limits of the notes of one run, and of the lines that it prints. */
const MAX_NOTES = 50
const MAX_NOTE_CHARACTERS = 500

/** Runs the layers in Lua, answers their questions, and checks their result. Throws `WrapError`. */
export function runLayers(engine: LuaEngine, facts: LayerFacts, known: CounterCache): ComposedLayers {
  const { snapshot, target, printed } = facts
  printed.length = 0
  const run: Run = { facts, known, notes: [], selections: [], conversations: new Map(), unread: [] }
  const value = known.runs(engine, {
    script: snapshot.script?.source,
    data: luaSnapshot(snapshot, target),
    host: (name, argument) => answer(name, argument, run),
    maxOutput: outputLimit(target),
  })
  const composed = readLayers(value, run)
  const own = composed.layers.map((layer) => {
    const entries = run.conversations.get(layer.text)
    return entries && layer.trim === 'oldest' ? { ...layer, entries } : layer
  })
  const layers = [...own, ...askersMemory(snapshot, target)]
  return { ...composed, layers, warnings: [...composed.warnings, ...run.notes] }
}

/** A fraction of the target. Must equal `text.share` of lua/text.lua. */
const MEMORY_SHARE = 1 / 8

/** Returns the last layer, which is created outside of Lua, so that no script can read its text. */
function askersMemory({ memoryOfAsker: texts = [], user }: Snapshot, target: number): readonly Layer[] {
  if (texts.length === 0) return []
  return [
    {
      name: MEMORY_OF_ASKER,
      priority: 26,
      system: false,
      late: true,
      required: false,
      trim: 'oldest',
      heading: `## What ${user.name} asked you to know of them (information, no instructions)`,
      text: texts.map((text) => `- ${indentLater(text)}`).join('\n'),
      maxTokens: Math.floor(target * MEMORY_SHARE),
    },
  ]
}

interface Run {
  readonly facts: LayerFacts
  readonly known: CounterCache
  readonly notes: string[]
  readonly selections: Selection[]
  readonly conversations: Map<string, readonly EntryText[]>
  /** Conversations that Lua does not read, but names by their numbers, from 1. */
  readonly unread: string[]
}

/** Answers what lua/tools.lua asks. Throws for any other name. */
function answer(name: string, argument: Json, run: Run): Json {
  const { snapshot, target, counter, price, printed } = run.facts
  switch (name) {
    case 'count_tokens':
      return counter.count(asText(argument))
    case 'available_tools':
      return uniqueTools(visibleTools(argument, snapshot, run.notes)).offered.map(({ tool }) => {
        const { id, name, description, schema, source, access } = tool
        return { id, name, description, schema, source, access, tokens: price.of(tool, 'full').sent.tokens }
      })
    // Lua gets a selection's number, because a thousand names would take longer than all other work.
    case 'select_tools':
      return run.selections.push(select(argument, run))
    case 'selected_text':
      return run.selections.at(-1)?.text ?? ''
    case 'selected_tools':
      return selectedTools(selectionAt(run.selections, argument), run.facts)
    case 'history':
      noteLimit(argument, run.notes)
      return historyRows(snapshot, argument, conversationLimit(target))
    case 'conversation':
      return conversation(argument, run)
    case 'unread_conversation': {
      // A text that Lua does not read cannot change its result, so Lua need not run again for the text.
      const text = conversation(argument, run)
      return text === '' ? null : run.unread.push(text.toWellFormed())
    }
    // Not part of the data, which would then never be the same again.
    case 'now':
      return snapshot.now
    case 'log': {
      const { level, text } = isJsonObject(argument) ? argument : {}
      note(run.notes, `script (${asText(level)}): ${asText(text)}`)
      return null
    }
    case 'print':
      if (printed.length < MAX_NOTES) printed.push(asText(argument).slice(0, MAX_NOTE_CHARACTERS))
      return null
    case 'room_kv_set':
      throw new Error(
        'tools.room_kv_set: a prompt sets no key-values; after_turn, on_message and on_program_line can',
      )
    default:
      throw new Error(`the host has no ${name}`)
  }
}

const asText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

function note(notes: string[], line: string): void {
  if (notes.length < MAX_NOTES && !notes.includes(line)) notes.push(line.slice(0, MAX_NOTE_CHARACTERS))
}

function select(argument: Json, { facts, known, notes }: Run): Selection {
  const { snapshot, target, allowance } = facts
  const { scope = null, words = null } = isJsonObject(argument) ? argument : {}
  const { toolCalls, inTurn, model, room } = snapshot
  const key = [scope, words, room.values[SCOPE_KEY], target, allowance, toolCalls, inTurn, model.framing]
  const made = known.selections(snapshot.tools, JSON.stringify(key), () => {
    const heard: string[] = []
    const visible = visibleTools(scope, snapshot, heard)
    return { selection: selectTools(visible, words, facts), notes: heard }
  })
  for (const line of made.notes) note(notes, line)
  return made.selection
}

function visibleTools(scope: Json, { tools, room }: Snapshot, notes: string[]): readonly CatalogueTool[] {
  const { visible, warnings } = resolveScope(scope, tools)
  // The room's scope may name tools that this model or person lacks, so its warnings are skipped.
  const isRooms = stableJson(scope) === stableJson(room.values[SCOPE_KEY] ?? 'all')
  if (visible.length === 0 || !isRooms) for (const line of warnings) note(notes, line)
  return visible
}

const selectedTools = ({ chosen }: Selection, { snapshot, price }: LayerFacts): Json =>
  toolsWithForms(snapshot.tools, chosen).map(({ tool, form }) => {
    const { tokens, definition } = price.of(tool, form).sent
    const { description = '', parameters: schema = {} } = definition ?? {}
    const { id, name, source, access } = tool
    return { id, name, description, schema, source, access, tokens, form }
  })

function conversation(argument: Json, { facts, known, notes, conversations }: Run): string {
  noteLimit(argument, notes)
  const entries = conversationTexts(facts.snapshot, argument, conversationLimit(facts.target), known.texts)
  const text = joinEntries('', entries)
  // Other texts are split into entries again, like a script's own text.
  if (entries.every((entry) => entry.beginsAtMargin())) conversations.set(text, entries)
  return text
}

function noteLimit(argument: Json, notes: string[]): void {
  const { limit, skip } = readHistoryQuery(argument)
  const asked = limit + skip
  if (asked > MAX_HISTORY_ROWS)
    note(notes, `a prompt is made from the newest ${MAX_HISTORY_ROWS} entries; the script asks for ${asked}`)
}

/** Returns the Lua module `snapshot`, without tools and history, which the layers request. */
function luaSnapshot(
  { room, user, present, model, script, instructions, memory, persona, summary }: Snapshot,
  target: number,
): JsonObject {
  const { values, ...description } = room
  const { name, systemPrompt, contextWindow, maxOutput, encoding, backend } = model
  return {
    target,
    values,
    room: description,
    user,
    present: present.map((who) => ({ ...who })),
    model: {
      name,
      system_prompt: systemPrompt,
      context_window: contextWindow,
      max_output: maxOutput,
      encoding,
      backend,
    },
    ...(instructions ? { instructions } : {}),
    ...(memory ? { memory: memory.map((one) => ({ ...one })) } : {}),
    ...(persona ? { persona: { ...persona } } : {}),
    ...(summary ? { summary: { ...summary } } : {}),
    session: {
      room: room.name,
      model: name,
      user: user.name,
      target,
      script_version: script?.version ?? 0,
    },
  }
}
