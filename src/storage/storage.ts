// All that outlives the server is stored through this folder. It implements the ports of the core and must
// not know its rules: who may read, what a model is shown, what an entry means. The stores (stores/) are
// written once over `Database`; sqlite/ and postgres/ have connections, append, search and migrations.

import type { ClusterStores } from '../cluster/index.ts'
import type { NameIndex, InviteStore, KeyStore, NameStore, TokenStore } from '../chat/people/index.ts'
import type { RetentionStore, RoomRemoval, SanctionStore } from '../chat/moderation/index.ts'
import type { EntryLog, PeopleStore, RoomStore } from '../chat/index.ts'
import type {
  InvitationNoticeStore,
  LastSeenStore,
  PreferenceStore,
  TypedStore,
} from '../chat/personal/index.ts'
import type { AwayStore, DirectMessageStore, IgnoredStore } from '../chat/talk/index.ts'
import type { ConnectedMcpStore, McpPinStore } from '../tools/index.ts'
import type { ResultStore } from '../tools/results/index.ts'
import type { ChargeStore, PersonaStore, TurnStore } from '../turns/index.ts'
import type { MemoryStore } from '../turns/memory/index.ts'
import type { GrantStore } from '../turns/approvals/index.ts'
import type { RoutineStore } from '../turns/routines/index.ts'
import type {
  CalibrationStore,
  HistoryStore,
  InstructionStore,
  ScriptStore,
  SummaryStore,
} from '../wrap/index.ts'

/** A thread on SQLite; a kind of statement on PostgreSQL, which never uses `slow`. */
export type StorageLane = 'write' | 'read' | 'slow'

export type StorageTimer = (lane: StorageLane, seconds: number) => void

/** Methods take and return plain values, which may cross threads, and reject with `StorageError` only. */
export interface Stores {
  readonly chat: {
    readonly entries: EntryLog
    readonly rooms: RoomStore
    readonly people: PeopleStore & NameIndex
    readonly invitations: InvitationNoticeStore
    readonly sanctions: SanctionStore
    readonly removal: RoomRemoval
    readonly retention: RetentionStore
    readonly keys: KeyStore
    readonly names: NameStore
    readonly invites: InviteStore
    readonly tokens: TokenStore
    readonly preferences: PreferenceStore
    readonly lastSeen: LastSeenStore
  }
  readonly talk: {
    readonly messages: DirectMessageStore
    readonly ignored: IgnoredStore
    readonly typed: TypedStore
    readonly away: AwayStore
  }
  readonly prompts: {
    readonly history: HistoryStore
    readonly scripts: ScriptStore
    readonly instructions: InstructionStore
    readonly personas: PersonaStore
    readonly memories: MemoryStore
    readonly summaries: SummaryStore
  }
  readonly models: {
    readonly turns: TurnStore
    readonly charges: ChargeStore
    readonly calibrations: CalibrationStore
    readonly routines: RoutineStore
  }
  readonly tools: {
    readonly grants: GrantStore
    readonly results: ResultStore
    readonly mcp: { readonly pins: McpPinStore; readonly connected: ConnectedMcpStore }
  }
  readonly upkeep: Upkeep
}

/** Disposing finishes pending writes, then closes the database. */
export interface Storage extends Stores, AsyncDisposable {
  /** Present if several servers may use the same database. */
  readonly cluster?: ClusterStores
}

export interface Upkeep {
  /** Rejects if nothing can be stored now. */
  health(): Promise<void>
  /** Checks the whole database for damage. Resolves to the first problem, or undefined. */
  damage(): Promise<string | undefined>
  /** Adds new entries to the search index. */
  refreshSearch(): Promise<void>
  /** Rebuilds the search index, so that it has no word of a removed text. */
  renewSearch(): Promise<void>
  /** Returns at most `most` free pages to the file system. Resolves to false once none are left. */
  releasePages(most: number): Promise<boolean>
}
