import type { PseudoTtyInfo, Session } from 'ssh2'
import type { Terminal } from '../../session/ports.ts'

/** What a client asked for before it started something on a channel. */
export type Requests = Pick<Terminal, 'size' | 'onResize' | 'term' | 'env'>

const MAX_VARIABLES = 16
const MAX_VALUE_UNITS = 256
const ACCEPTED_VARIABLE = /^(LANG|TZ|NO_COLOR|COLORTERM|SSHAWL_[A-Z0-9_]{1,32})$/

/**
 * Collects pty, window size and environment, and answers each request at once. The function returned gives
 * what there is.
 */
export function collectRequests(session: Session): () => Requests {
  const env: Record<string, string> = {}
  const listeners: (() => void)[] = []
  const tellResize = inOneGo(() => listeners.forEach((listener) => listener()))
  let variables = 0
  let term = ''
  let size: ReturnType<Terminal['size']>
  session.on('pty', (accept, _reject, info) => {
    size = sizeOf(info)
    term = printable(info.term ?? '')
    accept?.()
  })
  session.on('window-change', (accept, reject, info) => {
    if (!size) return reject?.()
    size = sizeOf(info)
    accept?.()
    tellResize()
  })
  session.on('env', (accept, reject, { key, val }) => {
    if (!ACCEPTED_VARIABLE.test(key) || (!(key in env) && variables >= MAX_VARIABLES)) return reject?.()
    if (!(key in env)) variables++
    env[key] = printable(val)
    accept?.()
  })
  return () => ({ size: () => size, onResize: (listener) => void listeners.push(listener), term, env })
}

/**
 * However often a client changes its window before the server has looked at everybody else, it is told once.
 */
function inOneGo(tell: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      tell()
    })
  }
}

/** A client may claim any size, or none: 0 means that it does not know. */
const sizeOf = ({ cols, rows }: Pick<PseudoTtyInfo, 'cols' | 'rows'>) => ({
  columns: cols > 0 ? Math.min(cols, 1000) : 80,
  rows: rows > 0 ? Math.min(rows, 1000) : 24,
})

const printable = (text: string): string => text.replace(/[^ -~]/g, '').slice(0, MAX_VALUE_UNITS)
