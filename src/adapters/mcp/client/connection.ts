import type { z } from 'zod'
import { toolProgress, type ToolProgress } from '../../../chat/tool-progress.ts'
import { createDeferred } from '../../../lib/deferred.ts'
import { errorMessage } from '../../../lib/errors.ts'
import type { McpServerConfig } from '../config.ts'
import type { McpLogin } from '../login/login.ts'
import { withoutSecrets } from '../secrets.ts'
import { AnotherRevision, checkAnswering } from './answering.ts'
import { callResult } from './content.ts'
import type { McpDefinition } from './definition.ts'
import { headersFor } from './header-arguments.ts'
import { greet, negotiationOf, type Hello } from './hello.ts'
import { createEventsTransport, createHttpTransport, wantsEvents } from './http.ts'
import type { LaunchMcp } from './launch.ts'
import type { McpTimes } from './limits.ts'
import { listTools, type McpList } from './list-tools.ts'
import { listenForTools } from './listening.ts'
import { refuseQuestions, whyUnanswered } from './questions.ts'
import { createStdioTransport, type EndingTransport } from './stdio.ts'
import { sendingUnjudged, unjudged } from './unjudged.ts'
import { isTurnedAway, whyOf } from './why.ts'

/** A server that has answered. All methods but `close` reject with an `Error` whose message ends a sentence. */
export interface McpConnection {
  /** What it lists now, at most `MAX_TOOLS`. */
  list(): Promise<McpList>
  /** Calls a tool as `list` had it. */
  call(tool: McpDefinition, args: object, during: DuringCall): Promise<z.output<typeof callResult>>
  /** Resolves if it answers; rejects with why it is to be left. */
  ping(): Promise<void>
  /** Resolves when it is over, with the reason. */
  readonly over: Promise<string>
  /** Ends it, for a reason; also its process. Never rejects. */
  close(why: string): Promise<void>
}

/** What goes on during a call. */
export interface DuringCall {
  /** Ends the call; the server is told. */
  readonly signal: AbortSignal
  readonly progress?: ((progress: ToolProgress) => void) | undefined
}

/** What a connection is made with. */
export interface ConnectionOptions {
  readonly times: McpTimes
  /** Of sshawl. */
  readonly version: string
  /** Makes commands ready. */
  readonly launch: LaunchMcp
  /** Its login, where it may want one. */
  readonly login?: McpLogin | undefined
  /** The server says that its tools are others now. */
  listChanged(): void
  /** The server sends so much that it is read more slowly. */
  slowed(): void
  readonly signal: AbortSignal
}

/** Node's longest timer, in milliseconds: who calls has a time limit of their own. */
const NO_LIMIT_MS = 2 ** 31 - 1

/** Connects to a server, and says hello, in the newest way that it knows. Rejects with an `Error` whose message ends a sentence. */
export async function connect(config: McpServerConfig, options: ConnectionOptions): Promise<McpConnection> {
  const { reach } = config
  const [unset] = reach.unset ?? []
  if (unset !== undefined) throw new Error(`the environment variable ${unset} is not set`)
  return await greet(async (hello) => {
    if ('command' in reach) {
      const transport = createStdioTransport(() => options.launch(reach, config.name), options.slowed)
      return await open(transport, hello, config, options)
    }
    try {
      return await open(await createHttpTransport(reach, options), hello, config, options)
    } catch (error) {
      if (!(await wantsEvents(error))) throw error
      return await open(await createEventsTransport(reach, options), 'older', config, options)
    }
  })
}

const GONE = 'it does not answer any more'

async function open(
  transport: EndingTransport,
  hello: Hello,
  config: McpServerConfig,
  options: ConnectionOptions,
): Promise<McpConnection> {
  const { Client, InsufficientScopeError } = await import('@modelcontextprotocol/client')
  const { times, version, signal, login } = options
  const client = new Client(
    { name: 'sshawl', version },
    { capabilities: {}, versionNegotiation: negotiationOf(hello, times) },
  )
  const over = createDeferred<string>()
  const ended = new AbortController()
  let whyClosed: string | undefined
  const whyEnded = (): string | undefined => {
    const why = transport.why()
    return why === undefined ? undefined : withoutSecrets(why, config.reach)
  }
  const closed = (): void => {
    over.resolve(whyClosed ?? whyEnded() ?? 'the connection ended')
    ended.abort()
  }
  // A property of the SDK, not an event.
  Object.assign(client, { onclose: closed })
  await refuseQuestions(client)
  client.setNotificationHandler('notifications/tools/list_changed', () => options.listChanged())

  const close = async (why: string): Promise<void> => {
    whyClosed ??= why
    await client.close().catch(() => undefined)
    closed()
  }
  const limited = { timeout: times.connectMs }
  const masked = (text: string): string => login?.masked(text) ?? text
  /** What went wrong, as the reason of the end where that is the cause. */
  async function explained<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof InsufficientScopeError) login?.wants(error.requiredScope)
      const why = whyEnded() ?? (await whyUnanswered(error)) ?? (await whyOf(error, config, times))
      throw new Error(masked(why), { cause: error })
    }
  }

  // The SDK's first request heeds no signal.
  const leave = (): void => void transport.close().catch(() => undefined)
  signal.addEventListener('abort', leave)
  try {
    signal.throwIfAborted()
    await explained(client.connect(sendingUnjudged(transport), { ...limited, signal }))
  } catch (error) {
    await close(errorMessage(error))
    throw error
  } finally {
    signal.removeEventListener('abort', leave)
  }
  const withHeaders = 'url' in config.reach && client.getProtocolEra() === 'modern'
  void listenForTools(client, times, ended.signal, options.listChanged)
  return {
    over: over.promise,
    close,
    list: () => explained(listTools(client, { ...limited, withHeaders })),
    ping: async () => {
      try {
        await checkAnswering(client, times.pingMs)
      } catch (error) {
        const isTold = error instanceof AnotherRevision || (await isTurnedAway(error))
        throw new Error(masked(isTold ? await whyOf(error, config, times) : GONE), { cause: error })
      }
    },
    call: ({ name, schema }, args, { signal: stop, progress }) =>
      explained(
        client.request({ method: unjudged('tools/call'), params: { name, arguments: args } }, callResult, {
          signal: stop,
          timeout: NO_LIMIT_MS,
          ...(withHeaders ? { headers: headersFor(schema, args) } : {}),
          ...(progress
            ? { onprogress: (told) => progress(toolProgress(told.progress, told.total, told.message)) }
            : {}),
        }),
      ),
  }
}
