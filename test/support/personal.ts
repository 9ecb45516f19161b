import { createAddressedHere } from '../../src/words/mentions.ts'
import type { Person, PersonId } from '../../src/words/person.ts'
import type { Option, PersonalOptions } from '../../src/chat/personal/options.ts'
import { createPersonal } from '../../src/terminal/views/viewer.ts'
import type { FakeTerminal } from './terminal.ts'

/** What somebody has set who changes nothing. */
export const preferencesOf = (options: PersonalOptions) => ({ now: () => options, onChange() {} })

/** As tests of what is said see it: no column of times. */
export const WITHOUT_TIMES = preferencesOf({ timestamps: 'off' })

/** `wallNow` 0: entries of a test that were said then need no day line. */
export function personalAt(
  terminal: FakeTerminal,
  options: PersonalOptions = {},
  { name = 'zoe', wallNow = 0 } = {},
) {
  const person: Person = { id: `p-${name}` as PersonId, name, admin: false, guest: false }
  let now = options
  const listeners: ((option: Option) => void)[] = []
  const preferences = {
    now: () => now,
    onChange: (listener: (option: Option) => void) => void listeners.push(listener),
  }
  const parts = { person, preferences, addressed: createAddressedHere(), wallNow: () => wallNow }
  return Object.assign(createPersonal(terminal, parts), {
    set(change: PersonalOptions) {
      now = { ...now, ...change }
      for (const option of Object.keys(change)) for (const told of listeners) told(option as Option)
    },
  })
}
