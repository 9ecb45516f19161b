import type { Client } from '@modelcontextprotocol/client'

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
  const { ProtocolError, ProtocolErrorCode, SdkError, SdkErrorCode } =
    await import('@modelcontextprotocol/client')
  const isModern = client.getProtocolEra() === 'modern'
  try {
    await (isModern ? client.discover({ timeout }) : client.ping({ timeout }))
  } catch (error) {
    const { MethodNotFound, UnsupportedProtocolVersion } = ProtocolErrorCode
    const isRefusal = error instanceof ProtocolError
    if (isModern && isRefusal && [MethodNotFound, UnsupportedProtocolVersion].includes(error.code))
      throw new AnotherRevision()
    const isOdd = error instanceof SdkError && error.code === SdkErrorCode.InvalidResult
    if (!isRefusal && !isOdd) throw error
  }
}
