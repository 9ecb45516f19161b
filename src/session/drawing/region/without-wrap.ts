const WRAP_OFF = '\u001b[?7l'
const WRAP_ON = '\u001b[?7h'

/** Rows that do not become two where they turn out too wide: terminals disagree about the width of some characters. */
export const withoutWrap = (rows: string): string => `${WRAP_OFF}${rows}${WRAP_ON}`
