import type { CallerKind } from './caller.ts'
import type { Command, FlagSpec } from './define.ts'

/** `tools ROOM [--json] [SCOPE…]`, as help and usage errors show it. */
export function usage(command: Command, kind: CallerKind): string {
  const verb = kind === 'session' ? `/${command.name}` : command.name
  const flags = command.flags.map((flag) => `[${spelled(flag)}${flag.value ? ` ${flag.value}` : ''}]`)
  const words = command.arguments.map((one) => {
    const shown = `${one.name.toUpperCase()}${one.takes ? '…' : ''}`
    return one.optional ? `[${shown}]` : shown
  })
  return [verb, ...roomWord(command, kind), ...flags, ...words].join(' ')
}

function roomWord({ room }: Command, kind: CallerKind): readonly string[] {
  if (kind === 'session' || room === 'none') return []
  return [room === 'optional' ? '[ROOM]' : 'ROOM']
}

/** A flag as it is typed: `-n`, `--json`. */
export const spelled = ({ name }: FlagSpec): string => (name.length === 1 ? `-${name}` : `--${name}`)
