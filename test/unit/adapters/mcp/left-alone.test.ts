import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { rawServer } from '../../../support/mcp/raw-servers.ts'

const DRIVER = fileURLToPath(new URL('../../../support/mcp/driver.ts', import.meta.url))
const JITI = fileURLToPath(new URL('../../../../node_modules/jiti/lib/jiti-cli.mjs', import.meta.url))

test('a program that does not end with its input ends with us, also where we were killed', async () => {
  const listener = createServer()
  try {
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    const { port } = listener.address() as AddressInfo
    const command = JSON.stringify(rawServer('stays', String(port)))
    const us = spawn(process.execPath, [JITI, DRIVER, command], { stdio: ['pipe', 'ignore', 'inherit'] })
    const [socket] = (await once(listener, 'connection')) as [Socket]
    const ended = once(socket.on('error', () => undefined).resume(), 'close')
    us.kill('SIGKILL')
    await ended
    expect(us.killed).toBe(true)
  } finally {
    listener.close()
  }
})
