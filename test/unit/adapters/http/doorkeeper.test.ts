import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { createDoorkeeper } from '../../../../src/adapters/http/doorkeeper.ts'
import type { HttpServerOptions } from '../../../../src/adapters/http/options.ts'
import { networkOf } from '../../../../src/adapters/ssh/admission/networks.ts'

/** A connection from an address that this machine does not have. */
const from = (remoteAddress: string): Socket =>
  Object.assign(new EventEmitter(), { remoteAddress, destroy: () => undefined }) as unknown as Socket

test('an IPv6 network is one address, and so is an IPv4 one that is written as IPv6; who leaves makes room', () => {
  const doorkeeper = createDoorkeeper(createServer(), {
    limits: { connections_per_address: 2, connections: 5, http_request_s: 20, http_idle_s: 60 },
    settings: () => ({ proxies: ['10.0.0.9'] }),
    visitors: { failed: () => 0, networkOf },
  } as unknown as HttpServerOptions)
  const come = (address: string): Socket => {
    const socket = from(address)
    doorkeeper.connected(socket)
    return socket
  }
  const crowded = 'your address has too many connections here; close one of them first'
  const [first] = [come('fd00::1'), come('fd00::2')]
  expect(doorkeeper.whyNot(first)).toBeUndefined()
  expect(doorkeeper.whyNot(come('fd00::3'))).toBe(crowded)
  first.emit('close')
  expect(doorkeeper.whyNot(come('fd00::4'))).toBeUndefined()
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1'])
    expect(doorkeeper.whyNot(come(address))).toBeUndefined()
  expect(doorkeeper.whyNot(come('192.0.2.1'))).toBe(crowded)
  expect(doorkeeper.whyNot(come('10.0.0.9'))).toBeUndefined()
  expect(doorkeeper.whyNot(come('10.0.0.9'))).toBe('too many connections; try again later')
})
