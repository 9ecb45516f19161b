/** The bounds that may only fall (limits.json), and what git knows of them. */
import { z } from 'zod'

/** Source: the numbers of limits.json, which each issue that cuts code or mends words lowers. */
const limitsSchema = z.strictObject({
  /** Of src, without blanks and comments. */
  charactersOfCode: z.int(),
  /** In src, test, lua, docs and the other pages. */
  bannedPhrases: z.int(),
  /** Lines of comments over 110 columns. */
  wideComments: z.int(),
  /** Functions of src with more than 80 lines, as `path name`. */
  longFunctions: z.array(z.string()),
})
export type Limits = z.infer<typeof limitsSchema>

/** Reads limits.json. Throws where it is not as described. */
export const readLimits = (json: string): Limits => limitsSchema.parse(JSON.parse(json))

/** A version of limits.json, and the message of its commit; undefined for what is not committed. */
export interface Version {
  readonly json: string
  readonly message: string | undefined
}

/** How a commit says that it raises a limit, and why. */
const RAISES = /^Raises the limit: \S/m

/** One sentence for each limit that is higher than in the version before, unless its commit says why. Newest first. */
export const raisedLimits = (versions: readonly Version[]): readonly string[] =>
  versions.flatMap(({ json, message }, index) => {
    const before = versions[index + 1]
    if (!before || RAISES.test(message ?? '')) return []
    return raised(parsed(json), parsed(before.json)).map(
      (what) => `test/checks/limits.json: ${what}; lower it, or have its commit say "Raises the limit: why"`,
    )
  })

/** Older versions may have other keys. */
const parsed = (json: string): Readonly<Record<string, unknown>> =>
  z.record(z.string(), z.unknown()).parse(JSON.parse(json))

const raised = (now: ReturnType<typeof parsed>, before: ReturnType<typeof parsed>): readonly string[] =>
  Object.entries(now).flatMap(([key, value]) => {
    const was = before[key]
    if (Array.isArray(value) && Array.isArray(was))
      return value.filter((one) => !was.includes(one)).map((one) => `${key} has ${one}`)
    return typeof value === 'number' && typeof was === 'number' && value > was
      ? [`${key} ${value} was ${was}`]
      : []
  })

/** What is found, against its limit: too much, or so much less that the limit is lowered. `slack` says how much that is. */
export function against(name: string, found: number, limit: number, slack: number): readonly string[] {
  if (found > limit) return [`${name}: ${found}, at most ${limit}`]
  if (found < limit - slack)
    return [`${name}: only ${found}; lower the limit of ${limit} in test/checks/limits.json`]
  return []
}
