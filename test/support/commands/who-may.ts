import { RIGHTS, type RightsRow } from '../../contract/rights/table.ts'

/** Who may use a verb, as sentences made from the rows that the matrix of rights has for it. */
export function whoMay(verb: string): string {
  const rows = RIGHTS.filter(({ line }) => line.split(' ')[0] === verb)
  // What exists in a session alone has no row.
  if (rows.length === 0) return 'Everybody.'
  const told = rows.map((row) => ({ use: row.line, who: whoMayUse(row) }))
  const [first] = told
  if (first && told.every(({ who }) => who === first.who)) return `${capital(first.who)}.`
  return `${told.map(({ use, who }) => `\`${use}\`: ${who}`).join('; ')}.`
}

/** The words for each set of roles that has the right: `+`, or `-` for those without, in the order of `ROLES`. */
const WORDS: Readonly<Record<string, string>> = {
  '+++++++++': 'everybody',
  '-++++++++': 'everybody but guests',
  '++++++++-': 'everybody who sees the room',
  '-+++++++-': 'everybody who sees the room, but no guest',
  '+++++++--': 'everybody who sees the room and is not muted in it',
  '-++++++--': 'everybody who sees the room and is not muted in it, but no guest',
  '----+++--': 'the owner of the room, its ops and admins',
  '-----++--': 'the owner of the room and admins',
  '----++---': 'the owner of a private room and its ops',
  '------+--': 'admins',
}

/** Who meets only what the thing itself refuses (`x`) has the right, unless nobody gets further in that kind of room. */
function whoMayUse({ line, public: open, private: hidden, archived }: RightsRow): string {
  const isForPrivate = !open.includes('+') && hidden.includes('+')
  const isForArchived = !/[+x]/.test(open.slice(1)) || (!open.includes('+') && archived.includes('+'))
  const kind = isForPrivate ? hidden : isForArchived ? archived : open
  const words = WORDS[kind.replaceAll('x', '+').replaceAll(/[^+]/g, '-')]
  if (words === undefined) throw new Error(`${line}: there are no words for the roles ${kind}`)
  if (isForArchived) return `${words}, where it is archived`
  return /[+x]/.test(archived) ? words : `${words}, unless it is archived`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
