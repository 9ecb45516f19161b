import { availableParallelism } from 'node:os'
import { createComposer, type PoolComposer } from '../../src/wrap/lua/composer.ts'
import { createApp } from '../../src/server/app.ts'
import type { Overrides } from '../../src/server/context.ts'
import { paths } from '../../src/base/paths.ts'
import { answerReloads } from '../../src/server/reload-socket.ts'
import { loadConfig, type Config } from '../../src/server/config/config.ts'
import { recordingLog } from './pool.ts'
import type { AnyServer, ServerOptions } from './server.ts'
import { writeConfig, writeNoConfig } from './stored.ts'

/**
 * The whole server in this process, for clients that come by SSH and HTTP: what a process of its own loads at its start is
 * loaded here already, and costs more than most tests. Storage, commands and prompts have their threads and processes.
 */
export async function startServerHere({
  dataDir,
  config,
  host = '127.0.0.1',
  http,
  clock,
}: ServerOptions & Pick<Overrides, 'clock'>): Promise<AnyServer> {
  const file = await (config === undefined ? writeNoConfig(dataDir) : writeConfig(dataDir, config))
  const flags = {
    ...{ listen: `${host}:0`, data: dataDir },
    ...(file === undefined ? {} : { config: file }),
    ...(http ? { http: http === true ? '127.0.0.1:0' : http } : {}),
  }
  const load = (): Config =>
    loadConfig({ verb: 'serve', flags }, { HOME: dataDir, PATH: process.env['PATH'] })
  const loaded = load()
  const { log, lines } = recordingLog()
  const app = await createApp(loaded, { log, composer: sharedComposer(loaded), ...(clock && { clock }) })
  const reloads = await answerReloads(dataDir, () => app.reload(load))
  const { port } = await app.listen()
  const web = await app.listenHttp()
  const end = async (): Promise<void> => {
    await reloads[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
  }
  return {
    port,
    claimCode: app.claimCode,
    http: web ? `http://127.0.0.1:${web.port}` : '',
    dataDir,
    stderr: () => lines.map((line) => JSON.stringify(line)).join('\n'),
    async stop(how) {
      if (how === 'SIGKILL') throw new Error('this server runs here: have a process of its own go on first')
      await end()
    },
    [Symbol.asyncDispose]: end,
  }
}

/** For each Lua engine: the wrap processes end with this one. */
const composers = new Map<string, PoolComposer>()

function sharedComposer({ lua: { engine } }: Config): PoolComposer {
  const size = Math.max(2, availableParallelism())
  const made = composers.get(engine) ?? newComposer(engine, size)
  composers.set(engine, made)
  return made
}

const newComposer = (engine: Config['lua']['engine'], size: number): PoolComposer =>
  createComposer(
    {
      entry: paths.wrapProcess,
      packageRoot: paths.root,
      engine,
      encodings: [],
      size,
      log: recordingLog().log,
    },
    'later',
  )
