import { Refusal } from '../../chat/errors.ts'
import { closest } from '../../lib/suggest.ts'
import { usage, type Caller, type Command } from '../command.ts'

/** `all` is asked each time, so that help knows every command, itself included. */
export const helpCommand = (all: () => readonly Command[]): Command => ({
  name: 'help',
  summary: 'what you can do here; help COMMAND tells more of one',
  parameters: [{ name: 'command', optional: true }],
  async run({ args, out, session }) {
    const caller = session ? 'session' : 'script'
    if (args['command'] !== undefined) return out.line(oneCommand(args['command'], all(), caller))
    const width = Math.max(...all().map((command) => command.name.length)) + 2
    for (const command of all()) {
      out.line(`${caller === 'session' ? '/' : ''}${command.name.padEnd(width)}${command.summary}`)
    }
    out.line(
      caller === 'session'
        ? 'Anything else that you type is said in the room; @NAME in it calls a model (/models). Try @guide help'
        : 'A script says first which room: ssh HOST say lobby hello. Flags come before text; -- ends them.',
    )
  },
})

function oneCommand(word: string, all: readonly Command[], caller: Caller): string {
  const name = word.replace(/^\//, '').toLowerCase()
  const command = all.find((one) => one.name === name)
  if (command) return `${usage(command, caller)}\n  ${command.summary}`
  const near = closest(
    name,
    all.map((one) => one.name),
  )
  throw new Refusal(`there is no command ${name.slice(0, 40)}${near ? `; did you mean ${near}?` : ''}`)
}
