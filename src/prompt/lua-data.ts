import type { JsonObject } from '../lib/json.ts'
import type { Snapshot } from './snapshot.ts'

/** The module `snapshot` in Lua: what the layers read, without tools and history, which are asked for. */
export function luaData(snapshot: Snapshot, target: number): JsonObject {
  const { room, user, model, script } = snapshot
  const { values, ...place } = room
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
  }
}
