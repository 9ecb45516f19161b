import type { Stores } from '../storage.ts'
import * as stores from '../stores/stores.ts'
import { createAppender } from './append.ts'
import type { Connection } from './connection.ts'
import { createSearch } from './search.ts'
import { copyInto, findDamage, storeOnePage } from './upkeep.ts'

/** All stores over one connection. On one that cannot write, their reading methods work. */
export function createStores(connection: Connection): Stores {
  const { database } = connection
  const { search, refresh } = createSearch(connection)
  return {
    ...stores.createStores(database, { appender: createAppender(database), search }),
    upkeep: {
      health: () => connection.write(() => storeOnePage(connection.db)),
      backup: (file) => connection.read(() => copyInto(connection.db, file)),
      damage: () => connection.read(() => findDamage(connection.db)),
      refreshSearch: refresh,
    },
  }
}
