import { entryRow, indentLater } from '../words/entry-text.ts'
import type { MessageEntry, ReplyEntry, RoomName } from '../words/entry.ts'
import {
  type RoomLookup,
  type RoomStore,
  readTodo,
  TODO_KEY,
  valuesWithExits,
  visibleExits,
  type Pins,
  type Room,
} from '../chat/index.ts'
import type { Person, Role } from '../words/person.ts'
import { EXITS_KEY } from '../words/room-keys.ts'
import { zip } from '../base/basics.ts'
import type { Clock, Log } from '../base/environment.ts'
import {
  type Calibrations,
  promptBudget,
  CONVERSATION_KINDS,
  MAX_HISTORY_ROWS,
  CHECKPOINT_KEY,
  type ModelSettings,
  type Composer,
  type HistoryStore,
  type InstructionStore,
  type ScriptStore,
  type StoredSummary,
  type SummaryStore,
  type HistoryRow,
  type PresentParticipant,
  type RoomSummary,
  type Snapshot,
  type ToolsInTurn,
} from '../wrap/index.ts'
import { type Checkpoint, checkpointOf, summaryAfter } from './key-values.ts'
import type { Memories } from './memory/index.ts'
import type { Persona } from './personas.ts'
import { type RoutineRun, SILENCE_HINT } from './routines/index.ts'
import type { Resolution } from '../wrap/scope/index.ts'
import { NO_PICTURES, type ShownPictures } from './pictures.ts'

export type UnsaidMessage = Pick<MessageEntry, 'author' | 'text'>

interface PromptRequest {
  readonly room: Room
  readonly requester: Person
  readonly model: ModelSettings
  /** The answered message; `/wrap` has none, or one that is not in the log. */
  readonly message?: MessageEntry | ReplyEntry | UnsaidMessage
  readonly persona?: Persona
  /** The run in which the message is answered. */
  readonly routine?: RoutineRun
  /** True for a side turn that starts without the conversation. */
  readonly fresh?: boolean
  /** Tokens reserved for the turn's earlier steps. */
  readonly reserve: number
  readonly inTurn?: ToolsInTurn
  readonly shown?: ShownPictures
}

type ScopedForPrompt = Pick<Resolution, 'visible'> & { readonly role: Role }

interface SnapshotParts {
  readonly rooms: Pick<RoomStore, 'values'> & RoomLookup
  readonly pins: Pick<Pins, 'list'>
  readonly history: Pick<HistoryStore, 'newest' | 'toolCalls'>
  readonly scripts: Pick<ScriptStore, 'current'>
  readonly instructions: Pick<InstructionStore, 'current'>
  readonly memories: Pick<Memories, 'forPrompt'>
  readonly summaries: Pick<SummaryStore, 'current'>
  readonly calibrations: Pick<Calibrations, 'budgetFactor'>
  readonly clock: Clock
  readonly namesIn: (room: RoomName) => Promise<readonly string[]>
  readonly toolsBounds: () => Pick<Snapshot, 'toolsShare' | 'toolsTokens'>
}

export class Snapshots {
  readonly #parts: SnapshotParts

  constructor(parts: SnapshotParts) {
    this.#parts = parts
  }

  /** `scoped` may be a promise, so that store queries run in parallel. Rejects with `StorageError` only. */
  async gather(
    request: PromptRequest,
    scoped: Promise<ScopedForPrompt> | ScopedForPrompt,
  ): Promise<Snapshot> {
    const parts = this.#parts
    const { room, requester, message, persona, routine, inTurn, reserve, fresh } = request
    const { shown = NO_PICTURES } = request
    const [calibration, values, { visible, role }] = await Promise.all([
      parts.calibrations.budgetFactor(request.model),
      parts.rooms.values(room.name),
      scoped,
    ])
    const model = profileOf(request, calibration)
    const checkpoint = checkpointOf(values.get(CHECKPOINT_KEY))
    const [info, pins, history, toolCalls, script, instructions, memory, newestSummary, present] =
      await Promise.all([
        room.info(),
        parts.pins.list(room.name),
        fresh ? [] : newestRows(parts.history, request, promptBudget(model), checkpoint),
        parts.history.toolCalls(room.name),
        parts.scripts.current(room.name),
        parts.instructions.current(room.name, model.name),
        parts.memories.forPrompt(room, requester),
        fresh ? undefined : parts.summaries.current(room.name),
        parts.namesIn(room.name).then((names) => presentPeople(room, names)),
      ])
    // Everybody who can read this room can read its prompts.
    const audience = { viewer: requester, toldIn: room.name }
    const stored = summaryAfter(checkpoint, newestSummary)
    const exits = await visibleExits(parts.rooms, values.get(EXITS_KEY), audience)
    return {
      now: parts.clock.now(),
      room: {
        name: info.name,
        topic: info.topic,
        vibe: info.vibe,
        private: info.private,
        exits,
        ...(pins.length > 0 && { pins: pins.map(entryRow) }),
        todo: readTodo(values.get(TODO_KEY)),
        values: Object.fromEntries(valuesWithExits(values, exits)),
      },
      user: { name: requester.name, role },
      present,
      model,
      tools: visible,
      history,
      message: message
        ? [attributed(message), ...shown.lines, ...(routine ? [SILENCE_HINT] : [])].join('\n')
        : '',
      ...(shown.pictures.length > 0 ? { pictures: shown.pictures } : {}),
      ...(script?.source ? { script: { source: script.source, version: script.version } } : {}),
      ...(instructions.length > 0 ? { instructions } : {}),
      ...memory,
      ...(persona ? { persona: { name: persona.name, text: persona.text } } : {}),
      ...(stored ? { summary: withoutRoom(stored) } : {}),
      ...parts.toolsBounds(),
      toolCalls,
      ...(inTurn ? { inTurn: { ...inTurn, reserve } } : {}),
    }
  }
}

/** `alice: hello`, with later lines indented, so that none looks like another speaker's. */
export const attributed = ({ author, text }: Pick<MessageEntry, 'author' | 'text'>): string =>
  `${author}: ${indentLater(text)}`

function withoutRoom(stored: StoredSummary): RoomSummary {
  const { room: _, ...summary } = stored
  return summary
}

/** Subtracts the reserve (our count) from the window (the provider's count). */
function profileOf({ model, reserve }: PromptRequest, calibration: number): Snapshot['model'] {
  const { name, maxOutput, encoding, systemPrompt, backend, framing } = model
  const contextWindow = Math.max(0, Math.floor(model.contextWindow - reserve * calibration))
  return { name, contextWindow, maxOutput, encoding, systemPrompt, backend, framing, calibration }
}

function newestRows(
  history: SnapshotParts['history'],
  { room, model, message }: PromptRequest,
  maxTokens: number,
  checkpoint: Checkpoint | undefined,
): Promise<readonly HistoryRow[]> {
  return history.newest(room.name, {
    encoding: model.encoding,
    maxRows: MAX_HISTORY_ROWS,
    maxTokens: Math.max(0, maxTokens),
    kinds: CONVERSATION_KINDS,
    withoutThreads: true,
    ...(checkpoint ? { after: checkpoint.after } : {}),
    ...(message && 'id' in message ? { before: message.id } : {}),
  })
}

const MAX_PEOPLE = 100

async function presentPeople(
  room: Room,
  modelNames: readonly string[],
): Promise<readonly PresentParticipant[]> {
  const people = room.present().slice(0, MAX_PEOPLE)
  const present = people.map(async (person): Promise<PresentParticipant> => {
    return { name: person.name, kind: 'person', role: await room.roleOf(person) }
  })
  const models = modelNames.map((name): PresentParticipant => ({ name, kind: 'model', role: 'model' }))
  return [...(await Promise.all(present)), ...models]
}

/** Stores the tokens of rows, so that the next prompt reads no more rows than can fit. Never rejects. */
export type RememberCounts = (encoding: string, rows: readonly HistoryRow[]) => Promise<void>

export const createHistoryCounts =
  (history: Pick<HistoryStore, 'saveCounts'>, composer: Pick<Composer, 'count'>, log: Log): RememberCounts =>
  async (encoding, rows) => {
    const fresh = rows.filter((row) => row.tokens === undefined).map(({ entry }) => entry)
    if (fresh.length === 0) return
    try {
      const texts = fresh.map(({ author, text }) => `${author}: ${text}`)
      const counted = zip(fresh, await composer.count(encoding, texts))
      await history.saveCounts(encoding, new Map(counted.map(([{ id }, count]) => [id, count])))
    } catch (error) {
      log.debug({ error }, 'rows of history could not be counted')
    }
  }
