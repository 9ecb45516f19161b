/**
 * load/ is what benches, the soak and the fuzzer use to put a crowd before a server: many ssh2 clients in one process,
 * marked lines, and the figures of a process. It must not know any server's inside.
 */

/** A line's mark as it was found in the bytes of a screen. */
export interface Token {
  /** The line's number, unique in a run. */
  readonly line: number
  /** When its speaker pressed Enter, in microseconds of `nowUs`. */
  readonly sentUs: number
}

/** Microseconds of a clock that all processes of the machine share and that never steps. */
export const nowUs = (): number => Number(process.hrtime.bigint() / 1000n)

/** What a speaker types, so that each screen can tell which line it was and when it was sent. */
export const tokenText = (line: number, sentUs: number): string => `#${line}.${sentUs.toString(36)}#`

const TOKEN = /#(\d{1,9})\.([0-9a-z]{1,11})#/g
const MAX_TOKEN_UNITS = 24

/** Finds tokens in a screen's bytes, wherever these are cut. Each is found as often as it is drawn. */
export function createTokenReader(): (bytes: Buffer) => readonly Token[] {
  let rest = ''
  return (bytes) => {
    const text = rest + bytes.toString('latin1')
    const found: Token[] = []
    let end = 0
    for (const match of text.matchAll(TOKEN)) {
      const [whole, line = '', sent = ''] = match
      found.push({ line: Number(line), sentUs: parseInt(sent, 36) })
      end = match.index + whole.length
    }
    const from = text.indexOf('#', Math.max(end, text.length - MAX_TOKEN_UNITS))
    rest = from < 0 ? '' : text.slice(from)
    return found
  }
}
