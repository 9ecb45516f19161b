import type { Stores } from '../storage.ts'
import { createSharedStores } from '../stores/stores.ts'
import type { Connections } from './connection.ts'
import { createEntryLog } from './entry-log.ts'
import { createHistoryStore } from './history.ts'
import { createTurnStore } from './turns/turns.ts'

/** All stores over one connection. */
export function createStores(connection: Connections): Omit<Stores, 'upkeep'> {
  const shared = createSharedStores(connection.database)
  return {
    chat: {
      ...shared.chat,
      log: createEntryLog(connection),
    },
    talk: shared.talk,
    prompts: { history: createHistoryStore(connection), ...shared.prompts },
    models: { turns: createTurnStore(connection), ...shared.models },
    tools: shared.tools,
  }
}
