import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { built } from '../../../support/built.ts'
import { rawServer } from '../../../support/mcp/raw-servers.ts'

test('a program that does not end with its input ends with us, also where we were killed', async () => {
  const listener = createServer()
  try {
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    const { port } = listener.address() as AddressInfo
    const command = JSON.stringify(rawServer('stays', String(port)))
    const us = spawn(process.execPath, [built('mcp-driver'), command], {
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    const [socket] = (await once(listener, 'connection')) as [Socket]
    const ended = once(socket.on('error', () => undefined).resume(), 'close')
    us.kill('SIGKILL')
    await ended
    expect(us.killed).toBe(true)
  } finally {
    listener.close()
  }
})
