import type { Stores } from '../storage.ts'
import { createSharedStores } from '../stores/stores.ts'
import type { Connection } from './connection.ts'
import { createEntryLog } from './entry-log.ts'
import { createHeldPresence } from './held-presence.ts'
import { createHistoryStore } from './history.ts'
import { createSearch } from './search.ts'
import { createLogStats } from './search/log-stats.ts'
import { createTurnStore } from './turns/turns.ts'
import { copyInto, findDamage, storeOnePage } from './upkeep.ts'

/** All stores over one connection. On one that cannot write, their reading methods work. */
export function createStores(connection: Connection): Stores {
  const shared = createSharedStores(connection.database)
  const { search, refresh } = createSearch(connection)
  return {
    chat: {
      ...shared.chat,
      log: {
        ...createEntryLog(connection),
        ...createHeldPresence(connection),
        ...createLogStats(connection),
        search,
      },
    },
    talk: shared.talk,
    prompts: { history: createHistoryStore(connection), ...shared.prompts },
    models: { turns: createTurnStore(connection), ...shared.models },
    tools: shared.tools,
    upkeep: {
      health: () => connection.write(() => storeOnePage(connection.db)),
      backup: (file) => connection.read(() => copyInto(connection.db, file)),
      damage: () => connection.read(() => findDamage(connection.db)),
      refreshSearch: refresh,
    },
  }
}
