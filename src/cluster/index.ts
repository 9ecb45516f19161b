/** Several servers on one database: leases, presence and change notifications. */
export { type Cluster, type ClusterEvents, createCluster } from './cluster.ts'
export type {
  BroadcastRow,
  BroadcastStore,
  Changes,
  ClosingStore,
  ClusterStores,
  CommonStore,
  ExpiredServers,
  PersonInRoom,
  PresentRow,
  PresentStore,
  QuestionRow,
  QuestionStore,
  ServerFacts,
  ServerId,
  ServerRecord,
  ServerStore,
  Topic,
  WorkRow,
  WorkStore,
} from './stores.ts'
