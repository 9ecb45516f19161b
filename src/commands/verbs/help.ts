import { Refusal } from '../../chat/errors.ts'
import { closest } from '../../lib/suggest.ts'
import { kindOf, type CallerKind } from '../caller.ts'
import { defineCommand, isCalled, type Command } from '../define.ts'
import { usage } from '../usage.ts'

/** `all` is asked each time, so that help knows every command, itself included. */
export const helpCommand = (all: () => readonly Command[]): Command =>
  defineCommand({
    name: 'help',
    summary: 'what you can do here; help COMMAND tells more of one',
    room: 'none',
    arguments: [{ name: 'command', about: 'one of them', optional: true }],
    example: 'tools',
    complete: () => all().map((command) => command.name),
    async run(context) {
      const { args, out, session } = context
      const kind = kindOf(context)
      if (args.command !== undefined) return out.line(oneCommand(args.command, all(), kind))
      const width = Math.max(...all().map((command) => command.name.length)) + 2
      for (const command of all()) {
        out.line(`${session ? '/' : ''}${command.name.padEnd(width)}${command.summary}`)
      }
      out.line(LAST_LINE[kind])
    },
  })

const LAST_LINE: Readonly<Record<CallerKind, string>> = {
  session:
    'Anything else that you type is said in the room; @NAME in it calls a model (/models). Try @guide help',
  script: 'A script says first which room: ssh HOST say lobby hello. Flags come before text; -- ends them.',
}

const alsoCalled = ({ aliases = [] }: Command): string =>
  aliases.length === 0 ? '' : ` (also: ${aliases.join(', ')})`

function oneCommand(word: string, all: readonly Command[], kind: CallerKind): string {
  const name = word.replace(/^\//, '').toLowerCase()
  const command = all.find((one) => isCalled(one, name))
  if (command) return `${usage(command, kind)}\n  ${command.summary}${alsoCalled(command)}`
  const near = closest(
    name,
    all.map((one) => one.name),
  )
  throw new Refusal(`there is no command ${name.slice(0, 40)}${near ? `; did you mean ${near}?` : ''}`)
}
