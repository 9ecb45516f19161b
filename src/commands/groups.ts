import type { Command } from './define.ts'

/** Commands that belong together, as help and docs/commands.md show them. */
export interface CommandGroup {
  /** One word that is no command. */
  readonly name: string
  readonly about: string
  readonly commands: readonly Command[]
}
