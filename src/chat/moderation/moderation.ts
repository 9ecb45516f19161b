import { Acts } from './acts.ts'
import type { ModerationParts } from './acting.ts'
import { Closing } from './closing.ts'
import { Memberships } from './memberships.ts'
import { Purging } from './purging.ts'

/** All acts of moderation, which share one `serial`. */
export interface Moderation {
  readonly acts: Acts
  readonly memberships: Memberships
  readonly closing: Closing
  readonly purging: Purging
}

export const createModeration = (parts: ModerationParts): Moderation => ({
  acts: new Acts(parts),
  memberships: new Memberships(parts),
  closing: new Closing(parts),
  purging: new Purging(parts),
})
