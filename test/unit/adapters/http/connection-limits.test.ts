import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { HttpServerOptions } from '../../../../src/adapters/http/routes.ts'
import { createConnectionCount } from '../../../../src/adapters/http/server.ts'
import { networkOf } from '../../../../src/lib/network.ts'

/** A connection from an address that this machine does not have. */
const from = (remoteAddress: string): Socket =>
  Object.assign(new EventEmitter(), { remoteAddress, destroy: () => undefined }) as unknown as Socket

test('an IPv6 network is one address, and so is an IPv4 one that is written as IPv6; who leaves makes room', () => {
  const countIn = createConnectionCount({
    limits: { connections_per_address: 2, connections: 5 },
    settings: () => ({ proxies: ['10.0.0.9'] }),
    visitors: { failed: () => 0, networkOf },
  } as unknown as HttpServerOptions)
  const come = (address: string): string | undefined => countIn(from(address))
  const crowded = 'your address has too many connections here; close one of them first'
  const first = from('fd00::1')
  expect(countIn(first)).toBeUndefined()
  expect(come('fd00::2')).toBeUndefined()
  expect(come('fd00::3')).toBe(crowded)
  first.emit('close')
  expect(come('fd00::4')).toBeUndefined()
  for (const address of ['192.0.2.1', '::ffff:192.0.2.1']) expect(come(address)).toBeUndefined()
  expect(come('192.0.2.1')).toBe(crowded)
  expect(come('10.0.0.9')).toBeUndefined()
  expect(come('10.0.0.9')).toBe('too many connections; try again later')
})
