// What servers that share the database know of each other: which of them live, who is in a room through which, what has changed, and
// what all are to do. It must not know what follows from any of it (src/cluster).

import type { Log } from '../../../../chat/ports.ts'
import type { ClusterStores, ServerId } from '../../../../cluster/stores.ts'
import { newestIn } from '../append.ts'
import { ChangeListener } from '../changes.ts'
import type { Connections } from '../connection.ts'
import { createBroadcastStore } from './broadcasts.ts'
import { createClosingStore } from './closings.ts'
import { createCommonStore } from './common.ts'
import { createPresentStore } from './present.ts'
import { createQuestionStore } from './questions.ts'
import { createServerStore } from './servers.ts'
import { createWorkStore } from './work.ts'

/** What servers share beside the stores of the core. `url` is where LISTEN connects to. */
export const createClusterStores = (
  connection: Connections,
  { url, server, log }: { readonly url: string; readonly server: ServerId; readonly log: Log },
): ClusterStores => ({
  server,
  servers: createServerStore(connection, server),
  present: createPresentStore(connection, server),
  changes: new ChangeListener({ url, self: server, log }),
  broadcasts: createBroadcastStore(connection.database, server),
  people: { closings: createClosingStore(connection.database, server) },
  work: createWorkStore(connection, server),
  questions: createQuestionStore(connection, server),
  common: createCommonStore(connection),
  newestIn: (rooms) => connection.database.read((db) => newestIn(db, rooms)),
})
