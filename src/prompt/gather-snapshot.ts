import { indentLater } from '../chat/entry-text.ts'
import type { EntryKind, MessageEntry } from '../chat/entry.ts'
import { EXITS_KEY, exitsValue, visibleExits, type Exit } from '../chat/exits.ts'
import type { Clock, RoomStore } from '../chat/ports.ts'
import type { Person, Role } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import { readTodo, TODO_KEY } from '../chat/todo.ts'
import type { RoomLookup } from '../chat/visibility.ts'
import type { Json } from '../lib/json.ts'
import type { HistoryStore, ScriptStore } from './ports.ts'
import { targetOf } from './wrap.ts'
import type { Resolution } from './scope.ts'
import type { HistoryRow, Present, RoomScript, Snapshot } from './snapshot.ts'
import { CHECKPOINT_KEY, checkpointOf, type Checkpoint } from './checkpoint.ts'
import { factorFor } from './calibration.ts'
import type { CalibrationStore } from './ports.ts'
import type { ModelSettings } from './model-settings.ts'

/** Where a snapshot's facts come from. */
export interface SnapshotParts {
  readonly rooms: Pick<RoomStore, 'values'> & RoomLookup
  readonly history: HistoryStore
  readonly calibrations: Pick<CalibrationStore, 'find'>
  readonly scripts: ScriptStore
  readonly clock: Clock
  /** Names of the models that can be called in any room. */
  readonly modelNames: readonly string[]
  /** Share of the target that tools may take, 0-1. */
  readonly toolsShare: number
}

/** What a prompt is for. */
export interface Occasion {
  readonly room: Room
  readonly requester: Person
  readonly model: ModelSettings
  /** What is being answered; absent for `/wrap`. */
  readonly message?: MessageEntry
  /** True for a side turn that starts without the conversation in the room. */
  readonly fresh?: boolean | undefined
  /** Tokens to keep free for the steps of this turn that were already made. */
  readonly reserve: number
}

/** Gathers all that a prompt is made from. Rejects with `StorageError` only. */
export async function gatherSnapshot(
  parts: SnapshotParts,
  occasion: Occasion,
  { visible, role }: Pick<Resolution, 'visible'> & { readonly role: Role },
): Promise<Snapshot> {
  const { room, requester, message } = occasion
  const model = profile(occasion, await factorFor(parts.calibrations, occasion.model))
  const values = await parts.rooms.values(room.name)
  const checkpoint = checkpointOf(values.get(CHECKPOINT_KEY))
  const [info, history, script, present] = await Promise.all([
    room.info(),
    occasion.fresh ? [] : newestRows(parts.history, occasion, targetOf(model), checkpoint),
    parts.scripts.current(room.name),
    whoIsHere(room, parts.modelNames),
  ])
  // Whoever reads this room can read its prompts.
  const audience = { viewer: requester, toldIn: room.name }
  const exits = await visibleExits(parts.rooms, values.get(EXITS_KEY), audience)
  return {
    now: parts.clock.now(),
    room: {
      name: info.name,
      topic: info.topic,
      vibe: info.vibe,
      private: info.private,
      exits,
      todo: readTodo(values.get(TODO_KEY)),
      values: valuesWith(values, exits),
    },
    user: { name: requester.name, role },
    present,
    model,
    tools: visible,
    history,
    message: message ? attributed(message) : '',
    ...scriptOf(script),
    toolsShare: parts.toolsShare,
  }
}

/** `alice: hello`, with later lines indented: no line of a message can pass for another speaker. */
export const attributed = ({ author, text }: Pick<MessageEntry, 'author' | 'text'>): string =>
  `${author}: ${indentLater(text)}`

/** What is kept free is counted by us, the window by the provider. */
const profile = ({ model, reserve }: Occasion, calibration: number): Snapshot['model'] => ({
  name: model.name,
  contextWindow: Math.max(0, Math.floor(model.contextWindow - reserve * calibration)),
  maxOutput: model.maxOutput,
  encoding: model.encoding,
  systemPrompt: model.systemPrompt,
  backend: model.backend,
  calibration,
})

/** More rows than this no layer shows; a script may ask for fewer. */
const MAX_ROWS = 500

/** What a conversation is made of; comings and goings are told by who is present. */
const TOLD: readonly EntryKind[] = [
  'message',
  'action',
  'reply',
  'tool_call',
  'tool_result',
  'notice',
  'scope',
]

function newestRows(
  history: HistoryStore,
  { room, model, message }: Occasion,
  maxTokens: number,
  checkpoint: Checkpoint | undefined,
): Promise<readonly HistoryRow[]> {
  const query = {
    encoding: model.encoding,
    maxRows: MAX_ROWS,
    maxTokens: Math.max(0, maxTokens),
    kinds: TOLD,
    ...(checkpoint ? { after: checkpoint.after } : {}),
    withoutThreads: true,
  }
  return history.newest(room.name, message ? { ...query, before: message.id } : query)
}

/** More names than this tell a model nothing. */
const MAX_PRESENT = 100

async function whoIsHere(room: Room, modelNames: readonly string[]): Promise<readonly Present[]> {
  const people = room.present().slice(0, MAX_PRESENT)
  const roles = await Promise.all(people.map((person) => room.roleOf(person)))
  return [
    ...people.map(({ name }, index) => ({ name, kind: 'person' as const, role: roles[index]! })),
    ...modelNames.map((name) => ({ name, kind: 'model' as const, role: 'model' })),
  ]
}

/** The key-values as a script may know them: of the exits only those that are shown. */
function valuesWith(values: ReadonlyMap<string, Json>, exits: readonly Exit[]): Snapshot['room']['values'] {
  const shown = exitsValue(exits)
  const others = [...values].filter(([key]) => key !== EXITS_KEY)
  return Object.fromEntries(shown === undefined ? others : [...others, [EXITS_KEY, shown]])
}

const scriptOf = (stored: RoomScript | undefined): { script?: RoomScript } =>
  stored && stored.source !== '' ? { script: { source: stored.source, version: stored.version } } : {}
