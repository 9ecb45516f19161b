/** Figures that a tool must keep to. */
export interface ToolLimits {
  readonly timeoutMs: number
  readonly outputLines: number
  readonly outputBytes: number
}

/** What of a command's output a tool keeps. */
export const OUTPUT_LIMITS = { outputLines: 2_000, outputBytes: 262_144 } as const
