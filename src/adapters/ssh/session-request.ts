import type { PseudoTtyInfo, Session } from 'ssh2'

/** What a client asked for before it started a shell or a command. */
export interface SessionRequest {
  /** Undefined without a pty. */
  size(): { readonly columns: number; readonly rows: number } | undefined
  /** Called after each change of size. */
  onResize(listener: () => void): void
  readonly term: string
  readonly env: Readonly<Record<string, string>>
}

const maxVariables = 16
const maxValue = 256
const acceptedNames = /^(LANG|TZ|SSHAWL_[A-Z0-9_]{1,32})$/

/** Collects pty, window size and environment of a session channel; answers each request at once. */
export function collectRequests(session: Session): SessionRequest {
  const env: Record<string, string> = {}
  const listeners: (() => void)[] = []
  const pty = { term: '', size: undefined as ReturnType<SessionRequest['size']> }
  session.on('pty', (accept, _reject, info) => {
    pty.size = sizeOf(info)
    pty.term = printable(info.term ?? '')
    accept?.()
  })
  session.on('window-change', (accept, reject, info) => {
    if (!pty.size) return reject?.()
    pty.size = sizeOf(info)
    accept?.()
    for (const listener of listeners) listener()
  })
  session.on('env', (accept, reject, { key, val }) => {
    if (!acceptedNames.test(key) || (!(key in env) && Object.keys(env).length >= maxVariables))
      return reject?.()
    env[key] = printable(val)
    accept?.()
  })
  return {
    size: () => pty.size,
    onResize: (listener) => void listeners.push(listener),
    get term() {
      return pty.term
    },
    env,
  }
}

/** A client may claim any size, or none: 0 means that it does not know. */
const sizeOf = ({ cols, rows }: Pick<PseudoTtyInfo, 'cols' | 'rows'>) => ({
  columns: cols > 0 ? Math.min(cols, 1000) : 80,
  rows: rows > 0 ? Math.min(rows, 1000) : 24,
})

const printable = (text: string): string => text.replace(/[^ -~]/g, '').slice(0, maxValue)
