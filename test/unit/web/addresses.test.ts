import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { type Socket, createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createResolver, isPublicAddress } from '../../../src/web/addresses.ts'

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450::1'])(
  'the address %s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each([
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['loopback', '::1'],
  ['unspecified', '0.0.0.0'],
  ['unspecified', '0.1.2.3'],
  ['unspecified', '::'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['shared by a carrier', '100.64.0.1'],
  ['shared by a carrier, and metadata of a cloud', '100.100.100.200'],
  ['link-local, and metadata of clouds', '169.254.169.254'],
  ['link-local', 'fe80::1'],
  ['site-local', 'fec0::1'],
  ['unique local, and metadata of a cloud', 'fd00:ec2::254'],
  ['metadata of a cloud', '168.63.129.16'],
  ['metadata of a cloud', '192.0.0.192'],
  ['multicast', '224.0.0.1'],
  ['multicast', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['reserved', '240.0.0.1'],
  ['for documentation', '203.0.113.9'],
  ['for documentation', '2001:db8::1'],
  ['for benchmarks', '198.18.0.1'],
  ['an IPv4-mapped one', '::ffff:127.0.0.1'],
  ['an IPv4-mapped one', '::ffff:8.8.8.8'],
  ['an IPv4-compatible one', '::7f00:1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['local NAT64', '64:ff9b:1::1'],
  ['6to4', '2002:7f00:1::'],
  ['Teredo', '2001::1'],
  ['discarded', '100::1'],
  ['with a zone', 'fe80::1%eth0'],
  ['no address', 'example.org'],
  ['no address', ''],
])('an address is not public if it is %s: %s', (_why, address) =>
  expect(isPublicAddress(address)).toBe(false),
)

test('an address of this machine is never public', () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    expect(isPublicAddress(address), address).toBe(false)
})

test('a private address, or an IPv4 address inside IPv6, is never public', () => {
  const bytes = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255))
  fc.assert(
    fc.property(bytes, ([a, b, c]) => {
      const hex = `${((a << 8) | b).toString(16)}:${c.toString(16)}`
      for (const address of [`10.${a}.${b}.${c}`, `127.${a}.${b}.${c}`, `::ffff:${hex}`, `64:ff9b::${hex}`])
        expect(isPublicAddress(address), address).toBe(false)
    }),
  )
})

const never = new AbortController().signal
const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close()
})

/** A name server of one answer for each type of question (RFC 1035 4.1): its code, and an address as bytes. */
async function nameServer(
  answer: (type: number) => { code: number; address?: readonly number[] } | undefined,
) {
  const socket = createSocket('udp4')
  sockets.push(socket)
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(end - 4)
    const given = answer(type)
    if (!given) return
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180 | given.code, 2)
    header.writeUInt16BE(given.address ? 1 : 0, 6)
    header.fill(0, 8)
    const address = Buffer.from(given.address ?? [])
    const record = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address])
    socket.send(
      Buffer.concat([header, query.subarray(12, end), given.address ? record : Buffer.alloc(0)]),
      from.port,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return createResolver([`127.0.0.1:${socket.address().port}`])
}

const A = 1

test('the resolver returns the IPv4 and IPv6 addresses of a name', async () => {
  const sixteen = Array.from({ length: 16 }, (_zero, index) => (index === 15 ? 1 : 0))
  const resolve = await nameServer((type) => ({ code: 0, address: type === A ? [8, 8, 4, 4] : sixteen }))
  expect(await resolve('both.test', never)).toEqual(['8.8.4.4', '::1'])
})

test('the resolver returns one family of addresses if a name has only that', async () => {
  const resolve = await nameServer((type) => (type === A ? { code: 0, address: [8, 8, 4, 4] } : { code: 0 }))
  expect(await resolve('four.test', never)).toEqual(['8.8.4.4'])
})

test('the resolver returns no addresses for a name that does not exist', async () => {
  const resolve = await nameServer(() => ({ code: 3 }))
  expect(await resolve('nowhere.test', never)).toEqual([])
})

test('the resolver rejects if the name server refuses to answer', async () => {
  const resolve = await nameServer(() => ({ code: 5 }))
  await expect(resolve('refused.test', never)).rejects.toThrow('no name server answered for refused.test')
})

test('the resolver stops waiting when its signal aborts', async () => {
  const stopped = new AbortController()
  const resolve = await nameServer(() => {
    stopped.abort(new Error('stopped'))
    return undefined
  })
  await expect(resolve('silent.test', stopped.signal)).rejects.toThrow('stopped')
})
