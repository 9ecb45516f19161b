import type { Stores } from '../storage.ts'
import { createSharedStores } from '../stores/stores.ts'
import type { Connections } from './connection.ts'
import { createEntryLog } from './entry-log.ts'
import { createHistoryStore } from './history.ts'
import { createInviteStore } from './people/invites.ts'
import { createKeyStore } from './people/keys.ts'
import { createNameStore } from './people/names.ts'
import { createPeopleStore } from './people/people.ts'
import { createTokenStore } from './people/tokens.ts'
import { createTurnStore } from './turns/turns.ts'

/** All stores over one connection. */
export function createStores(connection: Connections): Omit<Stores, 'upkeep'> {
  const shared = createSharedStores(connection.database)
  return {
    chat: {
      ...shared.chat,
      log: createEntryLog(connection),
      people: createPeopleStore(connection),
      keys: createKeyStore(connection),
      names: createNameStore(connection),
      invites: createInviteStore(connection),
      tokens: createTokenStore(connection),
    },
    talk: shared.talk,
    prompts: { history: createHistoryStore(connection), ...shared.prompts },
    models: { turns: createTurnStore(connection), ...shared.models },
    tools: shared.tools,
  }
}
