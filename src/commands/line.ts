/** What somebody entered in a session. */
export interface EnteredLine {
  readonly kind: 'nothing' | 'command' | 'speech'
  /** The verb and all that follows it, or what is said; empty where it is nothing. */
  readonly rest: string
}

/**
 * Nothing but this looks at the slash: `/verb …` is a command, everything else is said in the room. A text that begins
 * with a slash is said with two: `//etc is full`.
 */
export function kindOfLine(line: string): EnteredLine {
  if (line.trim() === '') return { kind: 'nothing', rest: '' }
  if (!line.startsWith('/')) return { kind: 'speech', rest: line }
  return { kind: line.startsWith('//') ? 'speech' : 'command', rest: line.slice(1) }
}
