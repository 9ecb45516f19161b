import { RIGHTS, type RightsRow } from '../../contract/rights/table.ts'

/** Rows of the matrix of rights by a key, in the order of the first row of each. */
export function groupRights(
  rows: readonly RightsRow[],
  keyOf: (row: RightsRow) => string,
): ReadonlyMap<string, readonly RightsRow[]> {
  const keys = [...new Set(rows.map(keyOf))]
  return new Map(keys.map((key) => [key, rows.filter((row) => keyOf(row) === key)]))
}

/** Who may use a verb, as a sentence from the rows that the matrix of rights has for it. */
export function whoMay(verb: string): string {
  const rows = RIGHTS.filter(({ line }) => line.split(' ')[0] === verb)
  // What exists in a session alone has no row.
  if (rows.length === 0) return 'everybody.'
  const uses = groupRights(rows, whoMayUse)
  if (uses.size === 1) return `${[...uses.keys()].join('')}.`
  const told = [...uses].map(([who, same]) => `${same.map(({ line }) => `\`${line}\``).join(', ')}: ${who}`)
  return `${told.join('; ')}.`
}

/** As docs/commands.md explains it: in a room that is not archived. */
const SPEAKERS = 'speakers'

/** The words for each set of roles: `+` for a role that has the right, else `-`, in the order of `ROLES`. */
const WORDS: Readonly<Record<string, string>> = {
  '+++++++++': 'everybody',
  '-++++++++': 'everybody but guests',
  '++++++++-': 'readers',
  '-+++++++-': 'readers but guests',
  '+++++++--': SPEAKERS,
  '-++++++--': `${SPEAKERS} but guests`,
  '----+++--': 'managers',
  '-----++--': 'the owner and admins',
  '----++---': 'the owner of a private room and its ops',
  '------+--': 'admins',
}

/**
 * A role that meets only what the thing itself refuses (`x`) has the right, unless nobody gets further in that
 * kind of room.
 */
export function whoMayUse({ line, public: open, private: hidden, archived }: RightsRow): string {
  const isForPrivate = !open.includes('+') && hidden.includes('+')
  const isForArchived = !/[+x]/.test(open.slice(1)) || (!open.includes('+') && archived.includes('+'))
  const kind = isForPrivate ? hidden : isForArchived ? archived : open
  const words = WORDS[kind.replaceAll('x', '+').replaceAll(/[^+]/g, '-')]
  if (words === undefined) throw new Error(`${line}: there are no words for the roles ${kind}`)
  if (isForArchived) return `${words}, only if the room is archived`
  const isStillDone = /[+x]/.test(archived)
  if (!words.startsWith(SPEAKERS)) return isStillDone ? words : `${words}, unless the room is archived`
  if (isStillDone) throw new Error(`${line}: speakers are said to need a room that is not archived`)
  return words
}
