import type { Entry } from '../chat/entry.ts'
import type { JsonObject } from '../lib/json.ts'
import type { Snapshot } from './snapshot.ts'

/** The module `snapshot` in Lua: what the layers read, without the tools, which are asked for. */
export function luaData(snapshot: Snapshot, target: number): JsonObject {
  const { room, user, model, script } = snapshot
  const { values, ...place } = room
  const models = new Set(
    snapshot.present.flatMap((who) => (who.kind === 'model' ? [who.name] : [])).concat(model.name),
  )
  return {
    now: snapshot.now,
    target,
    values,
    room: {
      ...place,
      exits: place.exits.map((exit) => ({ ...exit })),
      todo: place.todo.map((item) => ({ ...item })),
    },
    user: { ...user },
    present: snapshot.present.map((who) => ({ ...who })),
    model: {
      name: model.name,
      system_prompt: model.systemPrompt,
      context_window: model.contextWindow,
      max_output: model.maxOutput,
      encoding: model.encoding,
      backend: model.backend,
    },
    session: {
      room: room.name,
      model: model.name,
      user: user.name,
      target,
      script_version: script?.version ?? 0,
    },
    history: snapshot.history.map(({ entry }) => rowOf(entry, models)),
  }
}

function rowOf(entry: Entry, models: ReadonlySet<string>): JsonObject {
  const { id, at, kind, author, text } = entry
  const row = { id, at, kind, author, text, agent: kind === 'reply' || models.has(author) }
  if (entry.kind !== 'tool_call' && entry.kind !== 'tool_result') return row
  const call = { ...row, call: entry.call, name: entry.name, turn: entry.turn ?? '' }
  return entry.kind === 'tool_call' ? { ...call, arguments: JSON.stringify(entry.arguments) } : call
}
