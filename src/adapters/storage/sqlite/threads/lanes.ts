import type { Stores } from '../../storage.ts'

/**
 * The thread that a method runs in. Writes wait for no read, and what is read at every step (a login, a page of history)
 * waits for nothing that may take long.
 */
export type Lane = 'write' | 'read' | 'slow'

/** A lane for each method, and the same for what has methods. */
export type LanesOf<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...args: never[]) => unknown ? Lane : LanesOf<Part[Name]>
}

/** The lane of every method of every store. */
export const LANES: LanesOf<Stores> = {
  chat: {
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
      setAdmin: 'write',
      hasAdmin: 'read',
      claimAdmin: 'write',
      fileNames: 'write',
    },
    invitations: { put: 'write', take: 'write' },
    sanctions: { all: 'read', put: 'write', remove: 'write', linked: 'read' },
    removal: { removeSome: 'write', remove: 'write' },
    keys: { list: 'read', add: 'write', prove: 'write', remove: 'write' },
    names: { rename: 'write' },
    invites: { add: 'write', list: 'read', find: 'read', revoke: 'write', redeem: 'write' },
    tokens: { add: 'write', list: 'read', find: 'read', revoke: 'write' },
    preferences: { of: 'read', put: 'write', everyone: 'read' },
    lastSeen: { find: 'read', put: 'write' },
  },
  talk: {
    // Read in the thread that writes: what was deleted before is not found again.
    messages: { put: 'write', waiting: 'write', remove: 'write' },
    ignored: { ignoredBy: 'read', add: 'write', remove: 'write' },
    typed: {
      lines: 'write',
      addLines: 'write',
      draft: 'write',
      keepDraft: 'write',
      dropDraft: 'write',
      forget: 'write',
    },
    away: { away: 'read', leave: 'write', comeBack: 'write' },
  },
  prompts: {
    history: { newest: 'read', following: 'read', toolCalls: 'read', saveCounts: 'write' },
    scripts: { current: 'read', put: 'write', versions: 'read' },
    summaries: {
      current: 'read',
      versions: 'read',
      put: 'write',
      draft: 'read',
      putDraft: 'write',
      finishDraft: 'write',
    },
  },
  models: {
    turns: {
      begin: 'write',
      finish: 'write',
      addStep: 'write',
      find: 'read',
      unfinished: 'read',
      last: 'read',
      asked: 'read',
    },
    charges: {
      add: 'write',
      spent: 'read',
      spending: 'read',
      usage: 'slow',
    },
    calibrations: { find: 'read', put: 'write' },
    facts: { find: 'read', put: 'write' },
  },
  tools: {
    grants: { put: 'write', find: 'read', list: 'read', remove: 'write' },
    results: { put: 'write', find: 'read' },
    mcp: {
      // Read in the thread that writes: what was pinned before is found.
      pins: { hashes: 'write', find: 'write', put: 'write', forget: 'write' },
      connected: { all: 'write', put: 'write', remove: 'write' },
    },
  },
  upkeep: { health: 'write', backup: 'slow', damage: 'slow', refreshSearch: 'slow' },
}
