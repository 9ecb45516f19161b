import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, describe, expect, test } from 'vitest'
import { createResolver } from '../../../../src/adapters/web/addresses.ts'

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

describe('the resolver', () => {
  test('gives the addresses of both families', async () => {
    const sixteen = Array.from({ length: 16 }, (_zero, index) => (index === 15 ? 1 : 0))
    const resolve = await nameServer((type) => ({ code: 0, address: type === A ? [8, 8, 4, 4] : sixteen }))
    expect(await resolve('both.test', never)).toEqual(['8.8.4.4', '::1'])
  })

  test('takes one family where a name has only that', async () => {
    const resolve = await nameServer((type) =>
      type === A ? { code: 0, address: [8, 8, 4, 4] } : { code: 0 },
    )
    expect(await resolve('four.test', never)).toEqual(['8.8.4.4'])
  })

  test('gives none for a name that is not there', async () => {
    const resolve = await nameServer(() => ({ code: 3 }))
    expect(await resolve('nowhere.test', never)).toEqual([])
  })

  test('says so when the name servers refuse', async () => {
    const resolve = await nameServer(() => ({ code: 5 }))
    await expect(resolve('refused.test', never)).rejects.toThrow('no name server answered for refused.test')
  })

  test('stops waiting when it is told to', async () => {
    const stopped = new AbortController()
    const resolve = await nameServer(() => {
      stopped.abort(new Error('stopped'))
      return undefined
    })
    await expect(resolve('silent.test', stopped.signal)).rejects.toThrow('stopped')
  })
})
