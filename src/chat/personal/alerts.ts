import { createAlertTest } from '../../words/alert-words.ts'
import type { Entry, RoomName } from '../../words/entry.ts'
import type { Addressed } from '../../words/mentions.ts'
import type { Person } from '../../words/person.ts'
import type { PersonalSettings, Ring } from './options.ts'

export type Alerts = ReturnType<typeof createAlerts>

/** Decides which entries alert a person, by their current settings. */
export function createAlerts(person: Person, addressed: Addressed, settings: () => PersonalSettings) {
  const hasAlertWord = createAlertTest()
  /** True if an entry names the person, or has one of their words. */
  const isFor = (entry: Entry, { words } = settings()): boolean =>
    addressed(entry, person) || hasAlertWord(entry, person, words)
  return {
    isFor,
    /** `isHere`: the person is in the entry's room, where the option `bell` can be `all`. */
    rings(entry: Entry, isHere = false): boolean {
      const mine = settings()
      const ring = ringIn(mine, entry.room, isHere && mine.bell === 'all' ? 'all' : 'mentions')
      return ring === 'all' || (ring === 'mentions' && isFor(entry, mine))
    },
  }
}

/** `usual` applies to rooms for which the person has set nothing. */
const ringIn = ({ bell, rings }: PersonalSettings, room: RoomName, usual: Ring): Ring =>
  bell === 'off' ? 'off' : (rings?.get(room) ?? usual)
