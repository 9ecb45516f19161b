/** Something that no client may bring about. */
export class Trouble extends Error {
  /** Alike for troubles of one kind: what happened and where, without names and numbers of this run. */
  readonly kind: string
  readonly detail: string

  constructor(kind: string, detail = '') {
    super(kind)
    this.kind = kind
    this.detail = detail
  }
}

/** How the server says to a person that only the operator can help. */
export const APOLOGIES = /went wrong on the server/

/** What the tests need of a line of the server's log (pino's format). */
interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal'
  readonly msg: string
  readonly person?: string
  readonly err?: { readonly message?: string; readonly stack?: string }
}

/** The troubles that a server's log tells of, as far as it was not read yet; `person` is undefined where it names none. */
export function createLogReader(
  log: () => string,
): () => readonly { readonly person?: string; readonly trouble: Trouble }[] {
  let read = 0
  return () => {
    const end = log().lastIndexOf('\n') + 1
    const lines = log().slice(read, end).split('\n').filter(Boolean)
    read = end
    return lines.flatMap((line) => {
      const parsed = parse(line)
      if (!parsed) return [{ trouble: new Trouble('the server wrote to its standard error', line) }]
      const { level, msg, person, err } = parsed
      if (level !== 'error' && level !== 'fatal') return []
      const where = /^\s+at .*dist\/(\S+?):\d+:\d+\)?$/m.exec(err?.stack ?? '')?.[1]
      const trouble = new Trouble(
        `logged as an error: ${msg}: ${err?.message ?? ''} in ${where ?? '?'}`,
        err?.stack,
      )
      return [person === undefined ? { trouble } : { person, trouble }]
    })
  }
}

function parse(line: string): LogLine | undefined {
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return undefined
  }
}
