import type { Client } from '@modelcontextprotocol/client'
import { isRefusal } from './refusal.ts'

/** The answer to whatever a server asks for itself: of people (elicitation), of models (sampling), of our files (roots). */
const NOT_ASKED =
  'sshawl asks neither its people nor its models for a server: take all that you need as arguments of a tool'

/** Refuses what a server asks for by a request of its own, as the revisions until 2025-11-25 have it. */
export async function refuseQuestions(client: Client): Promise<void> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/client')
  client.fallbackRequestHandler = async () => {
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, NOT_ASKED)
  }
}

/**
 * Why a call ended that cannot go on without such an answer; undefined where it ended otherwise. Since the revision of
 * 2026-07-28 a server asks by what it answers, and cannot be told that nobody will.
 */
export async function whyUnanswered(error: unknown): Promise<string | undefined> {
  const { SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client')
  const isAsked = error instanceof SdkError && error.code === SdkErrorCode.CapabilityNotSupported
  return isAsked || (await isRefusal(error, 'MissingRequiredClientCapability'))
    ? `it wants an answer in the middle of the call; ${NOT_ASKED}`
    : undefined
}
