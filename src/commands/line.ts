/** What somebody entered in a session. */
export interface EnteredLine {
  readonly kind: 'nothing' | 'command' | 'speech' | 'blank-before-slash'
  /** The verb and all that follows it, or what is said; empty where it is neither. */
  readonly rest: string
}

/**
 * Nothing but this looks at the slash: `/verb …` is a command, everything else is said in the room. A text that begins
 * with a slash is said with two: `//etc is full`. With a blank before the slash it is neither: ssh-chat and IRC clients
 * say it aloud, and Slack advises that as the way to, but what was meant for one person must not be read by all for a slip.
 */
export function kindOfLine(line: string): EnteredLine {
  if (line.trim() === '') return { kind: 'nothing', rest: '' }
  if (BLANK_BEFORE_SLASH.test(line)) return { kind: 'blank-before-slash', rest: '' }
  if (!line.startsWith('/')) return { kind: 'speech', rest: line }
  return { kind: line.startsWith('//') ? 'speech' : 'command', rest: line.slice(1) }
}

/** Also what cannot be seen, and comes along when something is copied. */
const BLANK_BEFORE_SLASH = /^[\s\p{C}]+\//u
