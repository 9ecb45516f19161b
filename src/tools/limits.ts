/** Figures that a tool must keep to. */
export interface ToolLimits {
  readonly timeoutMs: number
  readonly outputLines: number
  readonly outputBytes: number
}
