import type { ServerFacts } from './ports.ts'

/**
 * How a server differs from another one in what all should have in common, as a sentence for admins; undefined where it does not. Two
 * versions side by side are usual during a deployment, and are said first.
 */
export function differenceTo(own: ServerFacts, other: ServerFacts): string | undefined {
  const names = [...new Set([...Object.keys(own.shared), ...Object.keys(other.shared)])].toSorted()
  const different = names.filter((name) => own.shared[name] !== other.shared[name])
  const versions =
    own.version === other.version ? [] : [`it runs ${own.version}, and that one ${other.version}`]
  const shared = different.length === 0 ? [] : [`they differ in ${different.join(', ')}`]
  const parts = [...versions, ...shared]
  return parts.length === 0
    ? undefined
    : `the server ${own.name} is not as the server ${other.name} with the same rooms: ${parts.join('; ')}`
}
