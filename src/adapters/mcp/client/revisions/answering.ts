import type { Client } from '@modelcontextprotocol/client'
import { isRefusal } from './refusal.ts'

/** It answers, and is not what it was when the connection began. */
export class AnotherRevision extends Error {
  override readonly name = 'AnotherRevision'
  constructor() {
    super('it speaks another revision of the protocol now')
  }
}

/**
 * Resolves if a server answers within so many milliseconds, whatever it answers. Since the revision of 2026-07-28 there is no
 * `ping`: there it says once more what it can do. Rejects with `AnotherRevision`, or with what the SDK throws.
 */
export async function checkAnswering(client: Client, timeout: number): Promise<void> {
  const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  const isModern = client.getProtocolEra() === 'modern'
  try {
    await (isModern ? client.discover({ timeout }) : client.ping({ timeout }))
  } catch (error) {
    if (isModern && (await isRefusal(error, 'MethodNotFound', 'UnsupportedProtocolVersion')))
      throw new AnotherRevision()
    const isOdd = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult
    if (!(error instanceof ProtocolError) && !isOdd) throw error
  }
}
