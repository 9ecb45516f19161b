import type { AgentListener } from '../../adapters/mcp/server/agent.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { Talk } from '../../chat/talk/talk.ts'
import { whenAborted } from '../../lib/when-aborted.ts'

/** What an agent reads messages to its person with. */
export interface MessageReader {
  readonly person: Person
  readonly openTalk: Talk['openSession']
  readonly log: Log
  /** Who is told, at each moment. */
  listener(): AgentListener | undefined
}

/** Tells the listener what is written to the person alone, first what waits, until the signal is aborted. */
export function readMessages({ person, openTalk, log, listener }: MessageReader, signal: AbortSignal): void {
  if (person.login?.token?.rooms) return
  const failed = (error: unknown): void => log.error({ error }, 'messages to an agent are not shown')
  open().catch(failed)

  async function open(): Promise<void> {
    const talk = await openTalk({
      person,
      print: (text) => log.warn({ person: person.name, text }, 'messages to an agent are not shown'),
      message: (message, onRead) => listener()?.written(message, onRead),
      bell() {},
    })
    whenAborted(signal, talk.close)
    if (!signal.aborted) await talk.showWaiting()
  }
}
