import { EventEmitter } from 'node:events'
import type { Connection } from 'ssh2'
import { expect, test } from 'vitest'
import { guardClient, socketOf } from '../../../../src/adapters/ssh/ssh2-internals.ts'

/** A client as a later ssh2 might make it: some of the parts that are guarded are elsewhere. */
function clientWithout(...moved: readonly string[]): Connection {
  const protocol: Record<string, unknown> = {
    _handlers: { CHANNEL_OPEN() {}, CHANNEL_DATA() {}, CHANNEL_WINDOW_ADJUST() {} },
    _packetRW: {},
    parse() {},
    ping() {},
  }
  const parts: Record<string, unknown> = { _sock: new EventEmitter(), _chanMgr: {}, _protocol: protocol }
  for (const name of moved) for (const holder of [parts, protocol]) delete holder[name]
  return Object.assign(new EventEmitter(), parts) as unknown as Connection
}

const guard = (client: Connection): void =>
  guardClient(client, { onFault: () => {}, onWindowGrown: () => {}, createInput: (parse) => parse })

test('a client of the installed ssh2 is guarded', () => {
  expect(() => guard(clientWithout())).not.toThrow()
})

test.each(['_sock', '_protocol', '_chanMgr', '_handlers', '_packetRW', 'parse'])(
  'a client without %s is not served, so that no upgrade of ssh2 removes a guard',
  (part) => {
    expect(() => guard(clientWithout(part))).toThrow('ssh2 has changed')
  },
)

test('a client without a socket is not served', () => {
  expect(() => socketOf(clientWithout('_sock'))).toThrow('ssh2 has changed')
})
