import type { Stores } from '../storage.ts'
import { createSharedStores } from '../stores/stores.ts'
import type { Connections } from './connection.ts'
import { createEntryLog } from './entry-log.ts'
import { createHistoryStore } from './history.ts'
import { createInvitationNoticeStore } from './people/invitation-notices.ts'
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
import { createSummaryStore } from './summaries.ts'
import { createAwayStore } from './talk/away.ts'
import { createDirectMessageStore } from './talk/direct-messages.ts'
import { createIgnoredStore } from './talk/ignored.ts'
import { createTypedStore } from './talk/typed.ts'
import { createTurnStore } from './turns/turns.ts'

/** All stores over one connection. */
export function createStores(connection: Connections): Omit<Stores, 'upkeep'> {
  const shared = createSharedStores(connection.database)
  return {
    chat: {
      log: createEntryLog(connection),
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
  }
}
