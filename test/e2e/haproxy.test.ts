import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lacks } from '../support/needs.ts'
import { handlerWith, personCalled, startSshServer } from '../support/ssh-server.ts'
import { serveMcp } from '../support/serve-mcp.ts'
import { createSshHome, ssh } from '../support/ssh.ts'

const SAMPLE = join(import.meta.dirname, '../../docs/deploy/haproxy.cfg')

/** Lets everybody in, and says from where. */
const telling = handlerWith({
  identify: (name, _key, address) => Promise.resolve(personCalled(`${name} from ${address}`)),
  async exec({ name }, _line, pipe) {
    await pipe.out(name)
    return 0
  },
})

/** HAProxy with the sample config, on a free port of the loopback, before one server with these ports. */
async function startHaproxy(server: { readonly ssh: number; readonly http: number }) {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-haproxy-'))
  const file = join(dir, 'haproxy.cfg')
  const sample = await readFile(SAMPLE, 'utf8')
  const config = sample
    .replace('defaults\n', 'defaults\n    log stdout format raw daemon\n    option log-health-checks\n')
    .replace('bind :22', 'bind fd@3')
    .replace('server one 10.0.0.11:2222', `server one 127.0.0.1:${server.ssh}`)
    .replace('check port 2223', `check port ${server.http}`)
    .replace(/^ *server two.*\n/m, '')
  await writeFile(file, config)
  // It takes over a socket that listens already, because it cannot tell which free port it took.
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const fd = (listener as Server & { readonly _handle: { readonly fd: number } })._handle.fd
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe', fd] })
  listener.close()
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'close')
  return {
    port,
    said: () => said,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      await rm(dir, { recursive: true })
    },
  }
}

test.skipIf(lacks('haproxy'))(
  'HAProxy with the sample config finds the server ready, and the server the client, until it is not ready',
  async () => {
    await using home = await createSshHome()
    await using server = await startSshServer(telling, {}, ['127.0.0.1'])
    await using http = await serveMcp(() => Promise.resolve(new Response()))
    await using haproxy = await startHaproxy({ ssh: server.port, http: http.port })
    const key = await home.key('ann')
    const target = { user: 'ann', port: haproxy.port, key, options: ['-b', '127.0.5.1'] }
    expect(await ssh(target, ['x'])).toMatchObject({ stdout: 'ann from 127.0.5.1', exitCode: 0 })
    await expect
      .poll(haproxy.said, { timeout: 10_000 })
      .toMatch(/one succeeded.*Layer7 check passed.*code: 200/)
    expect(server.logged.map(({ text }) => text)).toEqual(['login'])
    http.drain()
    await expect.poll(haproxy.said, { timeout: 10_000 }).toMatch(/one failed.*code: 503[^]*one is DOWN/)
    expect((await ssh(target, ['x'])).exitCode).toBe(255)
  },
)
