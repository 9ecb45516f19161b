import { createSerial } from '../../lib/jobs/serial.ts'
import { createBans, type Bans } from './bans.ts'
import { createClosing, type Closing } from './closing.ts'
import { createDiscipline, type Discipline } from './discipline.ts'
import { createMemberships, type Memberships } from './memberships.ts'
import type { ModerationParts } from './parts.ts'

/**
 * Everything that somebody can do to put others out, or to say who belongs to a room. An act is done in one go before the
 * next begins: of two who ban each other, one is banned.
 */
export interface Moderation {
  readonly bans: Bans
  readonly discipline: Discipline
  readonly memberships: Memberships
  readonly closing: Closing
}

export function createModeration(parts: ModerationParts): Moderation {
  const oneByOne = createSerial()
  const { ban, unban, list } = createBans(parts)
  const { kick, mute, unmute } = createDiscipline(parts)
  const { op, deop, uninvite, join, leave, ...asked } = createMemberships(parts)
  const { archive, ...closing } = createClosing(parts)
  return {
    bans: {
      ban: (...args) => oneByOne(() => ban(...args)),
      unban: (...args) => oneByOne(() => unban(...args)),
      list,
    },
    discipline: {
      kick: (...args) => oneByOne(() => kick(...args)),
      mute: (...args) => oneByOne(() => mute(...args)),
      unmute: (...args) => oneByOne(() => unmute(...args)),
    },
    memberships: {
      ...asked,
      op: (...args) => oneByOne(() => op(...args)),
      deop: (...args) => oneByOne(() => deop(...args)),
      uninvite: (...args) => oneByOne(() => uninvite(...args)),
      join: (...args) => oneByOne(() => join(...args)),
      leave: (...args) => oneByOne(() => leave(...args)),
    },
    // Deleting may take long, and closes its room before anything else.
    closing: { archive: (...args) => oneByOne(() => archive(...args)), ...closing },
  }
}
