/** Our own codes (server/codes.ts) are groups of four. */
const FOUR = '[A-HJ-NP-Z2-9]{4}'

const FORMS: readonly RegExp[] = [
  // Commands that take or give a secret, also without the slash.
  /^\s*\/?(?:claim|token|login|password|identify)\b/i,
  // A server's address or command may hold its key.
  /^\s*\/?mcp\s+(?:connect|login)\b/i,
  /^\s*\/(?:msg|w|whisper|dm|pm|tell|reply|r)\b/i,
  // A claim code as it is printed; an invite code in any case and spelling.
  new RegExp(`(?<![A-Z0-9])${FOUR}-${FOUR}(?![A-Z0-9])`),
  new RegExp(`(?<![A-Z0-9])(?:${FOUR}[- ]?){3}${FOUR}(?![A-Z0-9])`, 'i'),
  /\b(?:sk|pk|rk|gh[opsu]|github_pat|glpat|xox[abprs]|hf|npm|AKIA|AIza)[-_A-Za-z0-9]{12,}/,
  /\bsshawl_[-_A-Za-z0-9]{12,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\bBearer\s+\S{8,}/i,
]

const LONG_WORD = /[A-Za-z0-9_-]{24,}/g
/** Ids of entries and turns are no secret (https://github.com/ulid/spec). */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** True if a line may have a code, token or key in it, or is a message to one person. */
export function holdsSecret(line: string): boolean {
  if (FORMS.some((form) => form.test(line))) return true
  return [...line.matchAll(LONG_WORD)].some(([word]) => looksMadeByMachine(word))
}

const looksMadeByMachine = (word: string): boolean =>
  !ULID.test(word) && count(word, /\d/g) >= 4 && count(word, /[A-Za-z]/g) >= 4

const count = (word: string, what: RegExp): number => word.match(what)?.length ?? 0
