import { Refusal } from '../errors.ts'
import type { PeopleStore } from '../ports.ts'
import type { Person } from './person.ts'

/** The one-time code of the operator's console, with which somebody becomes the first admin. */
export interface Claim {
  /** Whether this is the code, while there is no admin: whoever brings it comes in, and nobody else. Rejects with `StorageError`. */
  opens(code: string): Promise<boolean>
  /** As `People.isClaimable`. */
  isOpen(): boolean
  /** There is an admin by now. */
  close(): void
  /** As `People.claim`. */
  take(person: Person, code: string): Promise<void>
}

/** What a claim depends on. */
export interface ClaimParts {
  readonly store: Pick<PeopleStore, 'hasAdmin' | 'claimAdmin'>
  /** Absent where there was an admin as the server started. */
  readonly claimCode: string | undefined
  /** Gives the keys that are admins by the config of now: with one of them, nobody else can claim the server. */
  readonly policy: () => { readonly admins: readonly string[] }
}

/** The claim of a server with this code. */
export function createClaim({ store, claimCode, policy }: ClaimParts): Claim {
  let open = claimCode

  const isRight = (code: string): boolean => open !== undefined && sameText(code.trim().toUpperCase(), open)
  const isByConfig = (): boolean => policy().admins.length > 0

  return {
    isOpen: () => open !== undefined && !isByConfig(),
    close: () => void (open = undefined),
    opens: async (code) => isRight(code) && !isByConfig() && !(await store.hasAdmin()),
    async take(person, code) {
      if (!isRight(code))
        throw new Refusal('that claim code is wrong or was used already; the server prints it when it starts')
      if (person.guest) throw new Refusal('a guest cannot be admin; log in with a name that nobody has')
      if (isByConfig() || !(await store.claimAdmin(person.id))) throw new Refusal('there is an admin already')
      open = undefined
    },
  }
}

/** Compares in time that does not depend on where the texts differ. */
function sameText(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < b.length; i++) difference |= (a.charCodeAt(i) || 0) ^ b.charCodeAt(i)
  return difference === 0
}
