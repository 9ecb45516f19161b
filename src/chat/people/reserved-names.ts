import { look, skeleton } from '../../lib/text/skeleton.ts'
import { LOBBY, SYSTEM } from './names.ts'

/**
 * Names that nobody can register, by what others would take them for: whatever the case or the look-alike letters. Whoever has
 * one from before keeps it. The names of models are reserved, too.
 */
const RESERVED: readonly (readonly [means: string, names: readonly string[]])[] = [
  ['the server speaks in this name', [SYSTEM, 'server', 'sshawl', LOBBY]],
  [
    'the server says it of nobody in particular',
    ['everyone', 'everybody', 'all', 'nobody', 'somebody', 'someone', 'anybody'],
  ],
  ['the server says it to its reader', ['you']],
  ['it sounds as if they ran the server', ['op', 'owner', 'operator', 'moderator', 'admin', 'root']],
  ['models read it as a role in their prompt', ['assistant', 'user']],
]

const MEANING: ReadonlyMap<string, string> = new Map(
  RESERVED.flatMap(([means, names]) => names.map((name) => [skeleton(name), means] as const)),
)

/** Why a name that is, or looks like, a reserved one cannot be registered, in a sentence; undefined for all others. */
export function whyReserved(name: string): string | undefined {
  const means = MEANING.get(skeleton(name)) ?? MEANING.get(look(name))
  return means === undefined ? undefined : `nobody can be called ${name}: ${means}; choose another name`
}
