/** What the bench and a driver process say to each other: one request at a time, one answer to each. */

/** Log in under these names, so many at once, and wait until each screen has shown a prompt. */
export interface ConnectRequest {
  readonly type: 'connect'
  readonly people: readonly Arrival[]
  readonly atOnce: number
  /** The screen is ready once it has shown this. */
  readonly prompt: RegExp
  /** Otherwise they leave again at once: it warms up both sides. */
  readonly stay: boolean
}

/** Who comes, and where. */
export interface Arrival {
  readonly name: string
  readonly port: number
}

/** Speak: line `first + i` at `startUs + i * everyUs`, said by `speakers[i % speakers.length]` if they are here. */
export interface SpeakRequest {
  readonly type: 'speak'
  readonly speakers: readonly string[]
  readonly first: number
  readonly lines: number
  readonly startUs: number
  readonly everyUs: number
}

export type Request = ConnectRequest | SpeakRequest

export interface Connected {
  readonly startUs: number
  readonly endUs: number
  /** For each login, milliseconds from the TCP connection to the prompt. */
  readonly promptMs: readonly number[]
}

/** What one screen has shown of the lines of others, each at its first time. */
export interface Shown {
  readonly name: string
  /** Numbers of lines in the order in which they came. */
  readonly lines: Int32Array
  /** From Enter to this screen, in milliseconds, line by line. */
  readonly latencies: Float32Array
  /** How often a line came that was there already. */
  readonly repeated: number
}

export interface Spoken {
  readonly screens: readonly Shown[]
  /** All bytes and all SSH data packets that came meanwhile. */
  readonly bytes: number
  readonly packets: number
  /** When the last line that counts came. */
  readonly lastUs: number
  /** Processor time of the driver. */
  readonly cpuMs: number
  /** Sessions that ended. */
  readonly gone: readonly string[]
}

/** A driver's answer. */
export type Reply =
  | { readonly type: 'ready' }
  | { readonly type: 'connected'; readonly connected: Connected }
  | { readonly type: 'spoken'; readonly spoken: Spoken }
  | { readonly type: 'failed'; readonly message: string }
