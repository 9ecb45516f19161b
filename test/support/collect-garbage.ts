import { Session } from 'node:inspector/promises'

/** Collects all that nobody holds any more, in this process. */
export async function collectGarbage(): Promise<void> {
  const session = new Session()
  session.connect()
  await session.post('HeapProfiler.collectGarbage')
  session.disconnect()
}
