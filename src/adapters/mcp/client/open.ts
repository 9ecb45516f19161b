import { toolProgress } from '../../../chat/tool-progress.ts'
import { createDeferred } from '../../../lib/deferred.ts'
import { errorMessage } from '../../../lib/errors.ts'
import type { McpServerConfig } from '../config.ts'
import { isUnmistakable, redact, secretValues } from '../redact.ts'
import type { ConnectionOptions, McpConnection } from './connection.ts'
import { callResult, textOf } from './content.ts'
import { listTools } from './list-tools.ts'
import { AnotherRevision, checkAnswering } from './revisions/answering.ts'
import { headersFor } from './revisions/header-arguments.ts'
import { negotiationOf, type Hello } from './revisions/hello.ts'
import { listenForTools } from './revisions/listening.ts'
import { refuseQuestions, whyUnanswered } from './revisions/questions.ts'
import { sendingUnjudged, unjudged, withoutMark } from './revisions/unjudged.ts'
import type { EndingTransport } from './stdio.ts'
import { explainUnreadable } from './tolerant.ts'
import { failingUnanswered } from './unanswered.ts'
import { isTurnedAway, whyOf } from './why.ts'

/** Node's longest timer, in milliseconds: who calls has a time limit of their own. */
const NO_LIMIT_MS = 2 ** 31 - 1

const GONE = 'it does not answer any more'

/** Says hello over a transport, in one way. Rejects with an `Error` whose message ends a sentence, and whose `cause` is the SDK's. */
export async function open(
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
  const given = secretValues(config.reach)
  const secrets = (): readonly string[] => [...given, ...(login?.secrets() ?? [])]
  /** For what is offered and shown: a tool may print its environment. */
  const redacted = (text: string): string => redact(text, secrets().filter(isUnmistakable))
  const whyEnded = (): string | undefined => {
    const why = transport.why()
    return why === undefined ? undefined : redact(why, secrets())
  }
  const over = createDeferred<string>()
  const ended = new AbortController()
  let whyClosed: string | undefined
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
  /** What went wrong, as the reason of the end where that is the cause. */
  async function explained<T>(method: string, work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof InsufficientScopeError) login?.wants(error.requiredScope)
      const why =
        whyEnded() ?? whyClosed ?? (await whyUnanswered(error)) ?? (await whyOf(error, config, times))
      throw new Error(redact(explainUnreadable(withoutMark(why), method), secrets()), { cause: error })
    }
  }

  // The SDK's first request heeds no signal.
  const leave = (): void => void transport.close().catch(() => undefined)
  signal.addEventListener('abort', leave)
  try {
    signal.throwIfAborted()
    await explained(
      'initialize',
      client.connect(sendingUnjudged(failingUnanswered(transport)), {
        ...limited,
        signal,
      }),
    )
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
    list: () => explained('tools/list', listTools(client, { ...limited, withHeaders, redacted })),
    ping: async () => {
      try {
        await checkAnswering(client, times.pingMs)
      } catch (error) {
        const isTold = error instanceof AnotherRevision || (await isTurnedAway(error))
        throw new Error(redact(isTold ? await whyOf(error, config, times) : GONE, secrets()), {
          cause: error,
        })
      }
    },
    call: ({ name, schema }, args, { signal: stop, progress }) =>
      explained(
        'tools/call',
        client
          .request({ method: unjudged('tools/call'), params: { name, arguments: args } }, callResult, {
            signal: stop,
            timeout: NO_LIMIT_MS,
            ...(withHeaders ? { headers: headersFor(schema, args) } : {}),
            ...(progress
              ? {
                  onprogress: (told) =>
                    progress(toolProgress(told.progress, told.total, redacted(told.message ?? ''))),
                }
              : {}),
          })
          .then((result) => ({ text: redacted(textOf(result)), isError: result.isError })),
      ),
  }
}
