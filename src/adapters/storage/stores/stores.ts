// The stores of both engines, each beside its rows. What an engine does in its own way is behind
// `Database.dialect`. This folder must not know which engine it is, and none of the core's rules.

import type { Database } from '../database.ts'
import type { Stores } from '../storage.ts'
import { createInviteStore } from './invites.ts'
import { createKeyStore } from './keys.ts'
import { createCalibrationStore, createChargeStore, createModelFactsStore } from './models.ts'
import { createRoomRemoval, createSanctionStore } from './moderation.ts'
import { createNameStore } from './names.ts'
import { createPeopleStore } from './people.ts'
import {
  createInvitationNoticeStore,
  createLastSeenStore,
  createPreferenceStore,
  createTypedStore,
} from './personal.ts'
import { createScriptStore, createSummaryStore } from './room-versions.ts'
import { createRoomStore } from './rooms.ts'
import { createAwayStore, createDirectMessageStore, createIgnoredStore } from './talk.ts'
import { createTokenStore } from './tokens.ts'
import { createGrantStore, createMcpStores, createResultStore } from './tools.ts'

/** The stores that are written once. The engines' stores.ts add the others. */
export interface SharedStores {
  readonly chat: Omit<Stores['chat'], 'log'>
  readonly talk: Stores['talk']
  readonly prompts: Omit<Stores['prompts'], 'history'>
  readonly models: Omit<Stores['models'], 'turns'>
  readonly tools: Stores['tools']
}

export const createSharedStores = (database: Database): SharedStores => ({
  chat: {
    rooms: createRoomStore(database),
    invitations: createInvitationNoticeStore(database),
    sanctions: createSanctionStore(database),
    removal: createRoomRemoval(database),
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
  prompts: { scripts: createScriptStore(database), summaries: createSummaryStore(database) },
  models: {
    charges: createChargeStore(database),
    calibrations: createCalibrationStore(database),
    facts: createModelFactsStore(database),
  },
  tools: {
    grants: createGrantStore(database),
    results: createResultStore(database),
    mcp: createMcpStores(database),
  },
})
