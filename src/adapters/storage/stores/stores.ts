// The stores of both engines, each beside its rows. What an engine does in its own way is behind
// `Database.dialect`. This folder must not know which engine it is, and none of the core's rules.

import type { Database } from '../database.ts'
import type { Stores } from '../storage.ts'
import { createCalibrationStore, createChargeStore, createModelFactsStore } from './models.ts'
import { createGrantStore, createMcpStores, createResultStore } from './tools.ts'

/** The stores that are written once. The engines' stores.ts add the others. */
export interface SharedStores {
  readonly models: Omit<Stores['models'], 'turns'>
  readonly tools: Stores['tools']
}

export const createSharedStores = (database: Database): SharedStores => ({
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
