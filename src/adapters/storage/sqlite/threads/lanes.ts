import type { Stores } from '../../storage.ts'

/**
 * The thread that a method runs in. Writes wait for no read, and what is read at every step (a login, a page of history)
 * waits for nothing that may take long.
 */
export type Lane = 'write' | 'read' | 'slow'

/** The lane of every method of every store. */
export const LANES: { readonly [S in keyof Stores]: { readonly [M in keyof Stores[S]]: Lane } } = {
  log: {
    append: 'write',
    read: 'read',
    sizes: 'read',
    search: 'slow',
    stats: 'slow',
    lastId: 'read',
    // Written and read in one thread: what was held before is found.
    hold: 'write',
    held: 'write',
    sumUp: 'write',
    roomsWithHeld: 'write',
  },
  rooms: {
    all: 'read',
    find: 'read',
    create: 'write',
    fork: 'write',
    update: 'write',
    membership: 'read',
    setMembership: 'write',
    members: 'read',
    getValue: 'read',
    setValue: 'write',
    values: 'read',
  },
  people: {
    bySkeleton: 'read',
    forLogin: 'read',
    byId: 'read',
    keysOf: 'read',
    register: 'write',
    addKey: 'write',
    setAdmin: 'write',
    hasAdmin: 'read',
    claimAdmin: 'write',
  },
  turns: {
    begin: 'write',
    finish: 'write',
    addStep: 'write',
    find: 'read',
    unfinished: 'read',
    last: 'read',
    addCharge: 'write',
    spent: 'read',
    spending: 'read',
    usage: 'slow',
  },
  grants: { put: 'write', find: 'read', list: 'read', remove: 'write' },
  calibrations: { find: 'read', put: 'write', findFacts: 'read', putFacts: 'write' },
  results: { put: 'write', find: 'read' },
  scripts: { current: 'read', put: 'write', versions: 'read' },
  summaries: {
    current: 'read',
    versions: 'read',
    put: 'write',
    draft: 'read',
    putDraft: 'write',
    finishDraft: 'write',
  },
  history: { newest: 'read', following: 'read', toolCalls: 'read', saveCounts: 'write' },
  upkeep: { health: 'write', backup: 'slow', damage: 'slow', refreshSearch: 'slow' },
}
