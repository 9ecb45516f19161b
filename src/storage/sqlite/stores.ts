import type { Stores } from '../storage.ts'
import * as stores from '../stores/stores.ts'
import { createAppend } from './append.ts'
import type { SqliteDatabase } from './database.ts'
import { createSearch } from './search.ts'
import { findDamage, releasePages, storeOnePage } from './upkeep.ts'

/** All stores over one connection. On a read-only connection, only reading methods work. */
export function createStores(database: SqliteDatabase): Stores {
  const { file, read, write } = database
  const { search, refresh, renew } = createSearch(database)
  return {
    ...stores.createStores(database, { append: createAppend(database), search }),
    upkeep: {
      health: () => write(async () => storeOnePage(file)),
      damage: () => read(async () => findDamage(file)),
      refreshSearch: refresh,
      renewSearch: renew,
      releasePages: (most) => write(async () => releasePages(file, most)),
    },
  }
}
