import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/** What a process says of itself, after a full garbage collection. */
export interface InnerFigures {
  /** In bytes. */
  readonly memory: NodeJS.MemoryUsage
  /** How many of each kind of handle, request and timer are active (`process.getActiveResourcesInfo`). */
  readonly resources: Readonly<Record<string, number>>
}

/** Asks a server that was started with `environment`. */
export type Probe = ReturnType<typeof createProbe>

const PRELOAD = new URL('probe.mjs', import.meta.url).href

/** The environment in which a Node process answers a probe on that Unix socket. */
export const probeEnvironment = (socket: string): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import=${PRELOAD}`,
  PROBE_SOCKET: socket,
})

export function createProbe(socket: string) {
  return {
    figures: async (): Promise<InnerFigures> => (await ask(socket, 'figures')) as InnerFigures,
    startProfile: async () => void (await ask(socket, 'startProfile')),
    /** Writes a profile that Chrome and `node:inspector` tools read. */
    stopProfile: async (file: string) => void (await ask(socket, 'stopProfile', file)),
    writeHeap: async (file: string) => void (await ask(socket, 'writeHeap', file)),
  }
}

async function ask(path: string, action: string, argument?: string): Promise<unknown> {
  const socket = connect(path)
  try {
    socket.write(`${JSON.stringify({ action, argument })}\n`)
    const lines = createInterface({ input: socket })
    const failed = once(socket, 'close').then(() => {
      throw new Error('the probed process closed the connection')
    })
    const [line] = (await Promise.race([once(lines, 'line'), failed])) as [string]
    const { answer, error } = JSON.parse(line) as { readonly answer?: unknown; readonly error?: string }
    if (error !== undefined) throw new Error(error)
    return answer
  } finally {
    socket.destroy()
  }
}
