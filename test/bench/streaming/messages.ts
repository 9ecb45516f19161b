/** What the streaming bench asks of its driver process. */
export interface WatchRequest {
  readonly port: number
  readonly screens: number
  /** How many of them have somebody who types a draft meanwhile, and how many somebody who speaks. */
  readonly drafters: number
  readonly speakers: number
  /** The model that is asked, and how many pieces its reply has. */
  readonly model: string
  readonly pieces: number
}

/** What the screens showed of the reply. */
export interface Watched {
  /** Milliseconds between two packets that brought new pieces of the reply, all screens together. */
  readonly gaps: Float32Array
  /** Packets with new pieces, for each screen. */
  readonly frames: Int32Array
  /** From the model's sending a piece to its being on a screen, in ms. */
  readonly latencies: Float32Array
  /** From the first piece to the last. */
  readonly tookMs: number
  /** Pieces that a screen never showed: those that left the region between two frames of a reply that scrolls. */
  readonly screensWithoutEnd: number
  /** How often a drafter's screen was looked at, and how often its draft was not what had been typed. */
  readonly looks: number
  readonly torn: readonly string[]
  /** Bytes and packets that came while the reply did. */
  readonly bytes: number
  readonly packets: number
}
