/** Limits that a crowd from one address, saying more than people do, would meet. */
const RAISED = {
  login_timeout_s: 120,
  unauthenticated_per_address: 100_000,
  unauthenticated: 100_000,
  connections_per_address: 100_000,
  connections_per_person: 1000,
  connections: 100_000,
  exec_per_person: 1000,
  exec_per_address: 100_000,
  address_burst: 1_000_000,
  address_per_s: 1_000_000,
  names_per_key: 100_000,
  bytes_per_person_day: 0,
  rate_burst: 1_000_000,
  rate_per_s: 1_000_000,
  members_per_room: 100_000,
  rooms_per_person: 100_000,
}

/**
 * The `[limits]` of a server that is to be loaded from one address: as many connections, logins and lines as there are.
 * What one session may cost (its queue, its stall, its draft) stays as it is unless `more` says otherwise.
 */
export const raisedLimits = (more: Readonly<Record<string, number>> = {}): string =>
  ['[limits]', ...Object.entries({ ...RAISED, ...more }).map(([key, value]) => `${key} = ${value}`), ''].join(
    '\n',
  )
