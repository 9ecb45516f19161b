import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { applyBackPressure } from '../../../../src/adapters/ssh/input-queue.ts'

let peer: Socket
let ours: Socket
const listener = createServer()

beforeEach(async () => {
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  peer = connect((listener.address() as AddressInfo).port, '127.0.0.1')
  ;[ours] = (await once(listener, 'connection')) as [Socket]
  applyBackPressure(ours)
})
afterEach(() => {
  peer.destroy()
  ours.destroy()
  listener.close()
})

test('a peer that does not take its answers is not read until it has', async () => {
  peer.pause()
  ours.write(Buffer.alloc(64 * 1024 * 1024))
  const paused = once(ours, 'pause')
  peer.write('one more question')
  await paused
  const resumed = once(ours, 'resume')
  peer.resume()
  await resumed
  const heard = once(ours, 'data')
  peer.write('again')
  expect(String((await heard)[0])).toBe('again')
})

test('a peer that takes its answers is read all the time', async () => {
  peer.resume()
  for (let i = 0; i < 20; i++) {
    ours.write('answer')
    peer.write('question')
    await once(ours, 'data')
    expect(ours.isPaused()).toBe(false)
  }
})
