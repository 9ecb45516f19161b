import type { Stores } from '../storage.ts'
import { createSharedStores } from '../stores/stores.ts'
import type { Connection } from './connection.ts'
import { createEntryLog } from './entry-log.ts'
import { createHeldPresence } from './held-presence.ts'
import { createInvitationNoticeStore } from './people/invitation-notices.ts'
import { createHistoryStore } from './history.ts'
import { createRoomRemoval } from './moderation/room-removal.ts'
import { createSanctionStore } from './moderation/sanctions.ts'
import { createInviteStore } from './people/invites.ts'
import { createKeyStore } from './people/keys.ts'
import { createNameStore } from './people/names.ts'
import { createPeopleStore } from './people/people.ts'
import { createLastSeenStore, createPreferenceStore } from './people/preferences.ts'
import { createTokenStore } from './people/tokens.ts'
import { createRoomStore } from './rooms.ts'
import { createScriptStore } from './scripts.ts'
import { createSearch } from './search.ts'
import { createLogStats } from './search/log-stats.ts'
import { createSummaryStore } from './summaries.ts'
import { createDirectMessageStore } from './talk/direct-messages.ts'
import { createAwayStore } from './talk/away.ts'
import { createIgnoredStore } from './talk/ignored.ts'
import { createTypedStore } from './talk/typed.ts'
import { createTurnStore } from './turns/turns.ts'
import { copyInto, findDamage, storeOnePage } from './upkeep.ts'

/** All stores over one connection. On one that cannot write, their reading methods work. */
export function createStores(connection: Connection): Stores {
  const shared = createSharedStores(connection.database)
  const { search, refresh } = createSearch(connection)
  return {
    chat: {
      log: {
        ...createEntryLog(connection),
        ...createHeldPresence(connection),
        ...createLogStats(connection),
        search,
      },
      rooms: createRoomStore(connection),
      people: createPeopleStore(connection),
      invitations: createInvitationNoticeStore(connection),
      sanctions: createSanctionStore(connection),
      removal: createRoomRemoval(connection),
      keys: createKeyStore(connection),
      names: createNameStore(connection),
      invites: createInviteStore(connection),
      tokens: createTokenStore(connection),
      preferences: createPreferenceStore(connection),
      lastSeen: createLastSeenStore(connection),
    },
    talk: {
      messages: createDirectMessageStore(connection),
      ignored: createIgnoredStore(connection),
      typed: createTypedStore(connection),
      away: createAwayStore(connection),
    },
    prompts: {
      history: createHistoryStore(connection),
      scripts: createScriptStore(connection),
      summaries: createSummaryStore(connection),
    },
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
