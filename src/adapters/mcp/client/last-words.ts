import { cleanLine } from '../../../lib/text/clean-text.ts'

/** Characters that are shown. */
const MAX_CHARS = 200

/** What calls itself an error, where it is not told inside another one: `TypeError: …`, `error: …`, `panic: …`. */
const SAYS_WRONG =
  /^(?:Uncaught )?(?:[\w.]*(?:error|exception)\b(?: \[\w+\])?:|panic:|fatal\b|Exception in thread )/i

/** npm says it first, and then what else one could do. */
const OF_NPM = /^npm (?:error|ERR!) (?!code |A complete log)\S/

/** Lines that say where, and not what: frames, quoted code with its marks, and what runtimes end with. */
const SAYS_WHERE =
  /^(?:\s+(?:at|File|throw|\.{3})\s|[\s^~{}[\]]*$|Node\.js v\d|Traceback |Require stack:|- \/|\s+(?:code|errno|syscall|path|requireStack): |goroutine \d|node:|note: run with |thread '.*:$|\S+:\d+$)/

/** The line of a program's error output that says why it ended, cleaned and cut; empty where there is none. */
export function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  const found =
    lines.findLast((line) => SAYS_WRONG.test(line)) ??
    lines.find((line) => OF_NPM.test(line)) ??
    lines.findLast((line) => !SAYS_WHERE.test(line)) ??
    lines.at(-1) ??
    ''
  return cleanLine(found).trim().slice(0, MAX_CHARS)
}
