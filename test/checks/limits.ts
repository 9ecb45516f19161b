/** The bounds that may only fall (limits.json), and what git knows of them. */
import { z } from 'zod'

/** Source: the numbers of limits.json, which each issue that cuts code or mends words lowers. */
const limitsSchema = z.strictObject({
  /** Of src, without blanks, comments and imports. */
  charactersOfCode: z.int(),
  /** In src, test, lua, docs and the other pages. */
  bannedPhrases: z.int(),
  /** Lines of comments over 110 columns. */
  wideComments: z.int(),
  /** Files of src with a function of more than 80 lines. */
  longFunctions: z.array(z.string()),
})
export type Limits = z.infer<typeof limitsSchema>

/** Reads limits.json. Throws where it is not as described. */
export const readLimits = (json: string): Limits => limitsSchema.parse(JSON.parse(json))

/** A version of the limits, and the message of its commit; undefined for what is not committed. */
export interface Version {
  readonly limits: Limits
  readonly message: string | undefined
}

/** How a commit says that it raises a limit, and why. */
const RAISES = /^Raises the limit: \S/m

/** One sentence for each limit that is higher than in the version before, unless its commit says why. */
export function raisedLimits([newest, before]: readonly Version[]): readonly string[] {
  if (!newest || !before || RAISES.test(newest.message ?? '')) return []
  const sizes = ({ limits }: Version) => [
    limits.charactersOfCode,
    limits.bannedPhrases,
    limits.wideComments,
    limits.longFunctions.length,
  ]
  const was = sizes(before)
  return sizes(newest).flatMap((now, index) =>
    now > was[index]!
      ? [`test/checks/limits.json: ${now} was ${was[index]!}; its commit says "Raises the limit: …" and why`]
      : [],
  )
}

/** What is found, against its limit: too much, or so much less that the limit is lowered. `slack` says how much that is. */
export function against(name: string, found: number, limit: number, slack: number): readonly string[] {
  if (found > limit) return [`${name}: ${found}, at most ${limit}`]
  if (found < limit - slack)
    return [`${name}: only ${found}; lower the limit of ${limit} in test/checks/limits.json`]
  return []
}
