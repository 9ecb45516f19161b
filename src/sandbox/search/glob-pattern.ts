import { RE2JS } from 're2js'
import { errorMessage } from '../../base/errors.ts'
import { WorkspaceError } from '../../words/errors.ts'

/** Longer patterns are a mistake, or an attack. */
export const MAX_PATTERN_CHARS = 1000

/**
 * Compiles a glob to a test for paths relative to the workspace. `*` and `?` do not match `/`, `**` does.
 * `[a-z]`, `[!a-z]` and `{a,b}` work as in a shell, `\` escapes the next character. A pattern without `/`
 * matches names in every directory. The test's time is linear in the path, whatever the pattern. Throws
 * `WorkspaceError`.
 */
export function compilePathGlob(pattern: string): (path: string) => boolean {
  const plain = pattern.replace(/^(?:\/workspace\/|\.\/)+/, '')
  if (plain.length > MAX_PATTERN_CHARS)
    throw new WorkspaceError(`a pattern has at most ${MAX_PATTERN_CHARS} characters`)
  if (plain.startsWith('/') || plain.split('/').includes('..')) {
    throw new WorkspaceError('a pattern stays in the workspace: it begins with no / and has no ..')
  }
  const test = compile(plain.includes('/') ? plain : `**/${plain}`, pattern)
  return (path) => test.matches(path)
}

function compile(plain: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(translate(plain), RE2JS.DOTALL)
  } catch (error) {
    throw new WorkspaceError(`'${pattern}' is no pattern: ${errorMessage(error)}`, { cause: error })
  }
}

/** The pieces of a glob. `translate` turns each named group into a regular expression. */
const PIECES =
  /(?<deep>(?<=^|\/)\*\*\/)|(?<rest>\*\*+)|(?<star>\*)|(?<any>\?)|\[(?<not>[!^]?)(?<set>\]?[^\]/]*)\]|\\(?<escaped>.)|(?<open>\{)|(?<comma>,)|(?<close>\})|(?<plain>.)/gsu

function translate(glob: string): string {
  const braces = glob.split('{').length === glob.split('}').length
  let depth = 0
  return Array.from(glob.matchAll(PIECES), ({ groups = {} }) => {
    const { deep, rest, star, any, not, set, escaped, open, comma, close, plain } = groups
    if (deep) return '(?:[^/]*/)*'
    if (rest) return '.*'
    if (star) return '[^/]*'
    if (any) return '[^/]'
    if (set !== undefined) return `[${not ? '^/' : ''}${set.replace(/[\\[\]^&~]/g, '\\$&')}]`
    if (open && braces) return (depth++, '(?:')
    if (comma && depth > 0) return '|'
    if (close && depth > 0) return (depth--, ')')
    return RE2JS.quote(escaped ?? plain ?? open ?? comma ?? close ?? '')
  }).join('')
}
