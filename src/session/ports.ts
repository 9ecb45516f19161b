/** Somebody's terminal, whatever carries it. Text in, text out; the carrier encodes UTF-8. */
export interface Terminal {
  /** Bytes as they were typed or pasted, cut anywhere. Ends when the person is gone. */
  readonly input: AsyncIterable<Uint8Array>
  /** Queues text; never throws. False when the queue is full and the text was dropped. */
  write(text: string): boolean
  /** Cells; changes with the window. Undefined without a pty. */
  size(): { readonly columns: number; readonly rows: number } | undefined
  /** Called after each change of the window's size. */
  onResize(listener: () => void): void
  /** The `TERM` of the pty, empty without one. */
  readonly term: string
  /** Environment that the client sent and we accept: `LANG`, `TZ`, `SSHAWL_*`. */
  readonly env: Readonly<Record<string, string>>
  /** Sends what is queued, then the exit status, then closes. */
  end(exitStatus: number): void
}
