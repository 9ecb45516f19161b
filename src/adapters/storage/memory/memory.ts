import { StorageError } from '../../../chat/errors.ts'
import type { Storage } from '../storage.ts'
import { createMemoryCalibrations } from './calibrations.ts'
import { createMemoryEntries } from './entries.ts'
import { createMemoryForks } from './forks.ts'
import { createMemoryGrants } from './grants.ts'
import { createMemoryPeople } from './people.ts'
import { createMemoryResults } from './results.ts'
import { createMemoryRooms } from './rooms.ts'
import { createMemoryScripts } from './scripts.ts'
import { createMemoryTurns } from './turns.ts'

/** Storage that ends with the process; the same exam as a database has proves that it behaves like one. */
export function createMemoryStorage(): Storage {
  const people = createMemoryPeople()
  const plainRooms = createMemoryRooms(people)
  const scripts = createMemoryScripts(plainRooms)
  const rooms = { ...plainRooms, ...createMemoryForks(plainRooms, scripts) }
  return {
    ...createMemoryEntries(),
    people,
    rooms,
    scripts,
    turns: createMemoryTurns(),
    grants: createMemoryGrants(rooms, people),
    calibrations: createMemoryCalibrations(),
    results: createMemoryResults(rooms),
    health: () => Promise.resolve(),
    backup: () =>
      Promise.reject(new StorageError('other', 'nothing is kept on disk, so there is nothing to back up')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
