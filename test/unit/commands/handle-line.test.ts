import { expect, test } from 'vitest'
import type { Runner } from '../../../src/commands/runner.ts'
import { handleLine, type HandledLine } from '../../../src/commands/handle-line.ts'
import { sessionIn } from '../../support/commands/caller.ts'
import { createChatParts } from '../../support/chat-parts.ts'
import { personCalled } from '../../support/ssh-server.ts'

const { rooms } = await createChatParts()
const { caller } = sessionIn(await rooms.lobby(), personCalled('alice'))

/** A runner that writes down what it is given, and ends commands with 2 and speech with 1. */
function recordingRunner() {
  const given: string[] = []
  const runner: Pick<Runner, 'command' | 'speech'> = {
    command: (line) => (given.push(`command ${line}`), Promise.resolve(2)),
    speech: (text) => (given.push(`speech ${text}`), Promise.resolve(1)),
  }
  return { given, runner }
}

const command: HandledLine = { kind: 'command', status: 2 }
const speech: HandledLine = { kind: 'speech', status: 1 }

test.each([
  ['hello', speech, 'speech hello'],
  [' hello', speech, 'speech  hello'],
  ['//etc is full', speech, 'speech /etc is full'],
  ['///', speech, 'speech //'],
  ['two\n/lines', speech, 'speech two\n/lines'],
  ['/tools off', command, 'command tools off'],
  ['/', command, 'command '],
  ['/me  waves ', command, 'command me  waves '],
])('the line %j is handled as %o', async (line, handled, given) => {
  const record = recordingRunner()
  expect(await handleLine(line, caller, record.runner)).toEqual(handled)
  expect(record.given).toEqual([given])
})

test.each(['', ' ', '\t\n'])('the line %j is ignored', async (line) => {
  const record = recordingRunner()
  expect(await handleLine(line, caller, record.runner)).toEqual({ kind: 'nothing', status: 0 })
  expect(record.given).toEqual([])
})

test.each([' /tools', '\t/msg bob psst', '\u200b/tools', '\n/tools', ' //etc'])(
  'the line %j is neither sent nor run',
  async (line) => {
    const record = recordingRunner()
    expect(await handleLine(line, caller, record.runner)).toEqual({ kind: 'blank-before-slash', status: 2 })
    expect(record.given).toEqual([])
  },
)
