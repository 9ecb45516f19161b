import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMcpServer, type CreateMcpServer } from '../../src/mcp/server/server.ts'
import { createApp } from '../../src/server/app.ts'
import { loadConfig } from '../../src/server/config/config.ts'
import { memoryLog } from '../support/chat-parts.ts'
import { createStage } from '../support/stage.ts'
import { createSshHome, ssh } from '../support/ssh.ts'
import { addAsking, addTelling } from './fixtures/asking.ts'
import { addContents } from './fixtures/contents.ts'
import { addInputRequired } from './fixtures/input-required.ts'

export interface Served extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly http: string
  readonly token: string
}

export async function serveBuilt(config: string): Promise<Served> {
  const stage = await createStage({ config, http: true })
  const token = (await stage.as('agent', ['token', 'new'])).stdout.trim()
  return { http: stage.server.http, token, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

/**
 * One in this process whose agents also have what the suite calls, reads and gets by name: so it sees how our HTTP carries
 * each kind of message. Of what our own tools say, this proves nothing.
 */
export async function serveWithFixtures(config: string): Promise<Served> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-fixtures-'))
  const home = await createSshHome()
  const file = join(dir, 'sshawl.toml')
  await writeFile(file, config)
  const flags = { config: file, listen: '127.0.0.1:0', http: '127.0.0.1:0', data: join(dir, 'data') }
  const app = await createApp(loadConfig({ verb: 'serve', flags }, { HOME: dir }), {
    log: memoryLog(),
    createMcpServer: withFixtures,
  })
  const { port } = await app.listen()
  const http = (await app.listenHttp())!
  const { stdout } = await ssh({ user: 'agent', port, key: await home.key('agent') }, ['token', 'new'])
  return {
    http: `http://127.0.0.1:${http.port}`,
    token: stdout.trim(),
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const withFixtures: CreateMcpServer = (agent, facts) => {
  const server = createMcpServer(agent, facts)
  addContents(server)
  addTelling(server)
  if (facts.era === 'legacy') addAsking(server)
  else addInputRequired(server)
  return server
}
