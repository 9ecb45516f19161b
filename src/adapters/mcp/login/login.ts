// Logins of servers that want one, by OAuth 2.1 as the protocol has it (modelcontextprotocol.io, "Authorization"). The SDK
// speaks it; this folder keeps what comes of it, and knows no room and no person.
import type { AuthProvider } from '@modelcontextprotocol/client'

/** A login that cannot be begun, ended or used. The message ends a sentence, and holds no secret. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
}

/** Somebody has to log in before anything else can be asked of the server. */
export class LoginNeeded extends LoginError {}

/** What a server said that it wants. */
export interface Challenge {
  /** Where it says who gives tokens for it; absent: at the usual address. */
  readonly resourceMetadataUrl?: URL | undefined
  /** Words of OAuth, with blanks between. */
  readonly scope?: string | undefined
}

/** Where a person logs in. */
export interface LoginStep {
  /** To be opened in a browser. */
  readonly address: string
  /** To where the browser goes in the end. */
  readonly back: string
  /** How long that may take, in ms. */
  readonly holdsMs: number
}

/** The login at one server. */
export interface McpLogin {
  /** For the SDK's transports: the token that a request gets, and what is done where it is not taken. */
  readonly auth: AuthProvider
  /** A request with this `Authorization` got this answer. */
  answered(response: Response, authorization: string | null): void
  /** A request wanted a login that allows this. */
  wants(scope: string | undefined): void
  /** `wanted`: the server asked for one, and there is none. */
  state(): 'none' | 'wanted' | 'held'
  /** Takes all tokens and keys of it out of a text. */
  masked(text: string): string
  /** These tokens and keys, the newest last; bounded in number. */
  secrets(): readonly string[]
  /** Begins one; what was begun before ends, also where its answer is being exchanged. Rejects with `LoginError`. */
  begin(): Promise<LoginStep>
  /** Whether this `state` is of the login that was begun last and is not over. */
  isBegun(state: string): boolean
  /** Whether one was begun and is not over, or is being ended. */
  isUnderWay(): boolean
  /**
   * Ends it with what came back with the browser. The tokens of a login before are kept until it ends, too. Rejects with `LoginError`, at once
   * where somebody leaves or begins another one meanwhile.
   */
  finish(answer: URLSearchParams): Promise<void>
  /** Forgets it and what is under way, and asks whoever gave the tokens to do so, also for those that come late. Resolves to why they may still hold; undefined where they do not. Never rejects. */
  leave(): Promise<string | undefined>
}
