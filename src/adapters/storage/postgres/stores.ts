import type { Stores } from '../storage.ts'
import * as stores from '../stores/stores.ts'
import { createAppend } from './append.ts'
import type { PostgresDatabase } from './database.ts'
import { createEntrySearch } from './search.ts'
import { turnOwnership } from './turn-ownership.ts'

/** All stores over one connection. */
export const createStores = (database: PostgresDatabase): Omit<Stores, 'upkeep'> =>
  stores.createStores(database, {
    append: createAppend(database),
    search: createEntrySearch(database),
    ownership: turnOwnership,
  })
