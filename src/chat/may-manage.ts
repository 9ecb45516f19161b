import type { Role } from './people/person.ts'

/** Who sets a room's topic, vibe, scope, script and key-values. */
export const mayManage = (role: Role): boolean => role === 'admin' || role === 'owner' || role === 'op'
