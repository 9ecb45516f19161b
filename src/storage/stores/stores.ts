// The stores of both engines, each beside its row types. Differences of the engines' SQL are in
// `Database.dialect`. This folder must know neither the engine nor the core's rules.

import type { EntryLog } from '../../chat/index.ts'
import type { Database } from '../database.ts'
import type { Stores } from '../storage.ts'
import { createEntryLog, createHistoryStore } from './history.ts'
import { createInviteStore } from './invites.ts'
import { createKeyStore } from './keys.ts'
import { createCalibrationStore, createChargeStore } from './models.ts'
import { createRetentionStore } from './retention.ts'
import { createRoomRemoval, createSanctionStore } from './moderation.ts'
import { createNameStore } from './names.ts'
import { createMemoryStore } from './memories.ts'
import { createPeopleStore } from './people.ts'
import { createPersonaStore } from './personas.ts'
import {
  createInvitationNoticeStore,
  createLastSeenStore,
  createPreferenceStore,
  createTypedStore,
} from './personal.ts'
import { createInstructionStore, createScriptStore, createSummaryStore } from './room-versions.ts'
import { createRoomStore } from './rooms.ts'
import { createRoutineStore } from './routines.ts'
import { createAwayStore, createDirectMessageStore, createIgnoredStore } from './talk.ts'
import { createTokenStore } from './tokens.ts'
import { createGrantStore, createMcpStores, createResultStore } from './tools.ts'
import { createTurnStore, type TurnOwnership } from './turns.ts'

/** The parts of the stores that each engine implements itself. */
interface EngineParts {
  readonly append: EntryLog['append']
  readonly search: EntryLog['search']
  /** Present if several servers share the database. */
  readonly ownership?: TurnOwnership
}

export const createStores = (
  database: Database,
  { append, search, ownership }: EngineParts,
): Omit<Stores, 'upkeep'> => ({
  chat: {
    entries: createEntryLog(database, { append, search }),
    rooms: createRoomStore(database),
    invitations: createInvitationNoticeStore(database),
    sanctions: createSanctionStore(database),
    removal: createRoomRemoval(database),
    retention: createRetentionStore(database),
    preferences: createPreferenceStore(database),
    lastSeen: createLastSeenStore(database),
    people: createPeopleStore(database),
    names: createNameStore(database),
    keys: createKeyStore(database),
    invites: createInviteStore(database),
    tokens: createTokenStore(database),
  },
  talk: {
    messages: createDirectMessageStore(database),
    ignored: createIgnoredStore(database),
    typed: createTypedStore(database),
    away: createAwayStore(database),
  },
  prompts: {
    history: createHistoryStore(database),
    scripts: createScriptStore(database),
    instructions: createInstructionStore(database),
    personas: createPersonaStore(database),
    memories: createMemoryStore(database),
    summaries: createSummaryStore(database),
  },
  models: {
    turns: createTurnStore(database, ownership),
    charges: createChargeStore(database),
    calibrations: createCalibrationStore(database),
    routines: createRoutineStore(database),
  },
  tools: {
    grants: createGrantStore(database),
    results: createResultStore(database),
    mcp: createMcpStores(database),
  },
})
