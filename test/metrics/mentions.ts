import type { Program } from 'oxc-parser'
import { isReferenceIdentifier, ScopeTracker, walk } from 'oxc-walker'

/** A place where a file uses one of the names at its top. */
export interface Mention {
  readonly name: string
  /** A name whose type alone is asked for (`typeof x` in a type) is used as a type. */
  readonly kind: 'value' | 'type'
  /** Offset in the text. */
  readonly at: number
}

const TOP = ''

/** All uses of imported names and top-level declarations. What is called the same in a smaller scope is left out. */
export function readMentions(program: Program): readonly Mention[] {
  const scopes = new ScopeTracker({ preserveExitedScopes: true })
  // A function may be used above its declaration: all scopes are read before any name is looked up.
  walk(program, { scopeTracker: scopes })
  scopes.freeze()
  const mentions: Mention[] = []
  walk(program, {
    scopeTracker: scopes,
    enter(node, parent) {
      if (node.type !== 'Identifier') return
      const mode = isReferenceIdentifier(node, parent) ? 'value' : 'type'
      if (!isReferenceIdentifier(node, parent, { mode })) return
      if (scopes.getDeclaration(node.name, { mode })?.scope !== TOP) return
      mentions.push({
        name: node.name,
        kind: parent?.type === 'TSTypeQuery' ? 'type' : mode,
        at: node.start,
      })
    },
  })
  return mentions
}
