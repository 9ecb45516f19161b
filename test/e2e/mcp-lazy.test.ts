import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rawServer } from '../support/mcp/raw-servers.ts'
import { lateOptimizing } from '../support/node-flags.ts'
import { startServer } from '../support/server.ts'
import { temporaryDir } from '../support/storage.ts'

const PRELOAD = new URL('../support/mcp/loaded-modules.mjs', import.meta.url).pathname
const MCP = `[[mcp]]\nname = "raw"\ncommand = ${JSON.stringify(rawServer('usual'))}\n`

test.each([
  ['does not load', 'without', '', false],
  ['loads', 'with', MCP, true],
])('a server %s the MCP client %s [[mcp]]', async (_verb, _with, config, isLoaded) => {
  using dir = temporaryDir()
  const file = join(dir.path, 'loaded')
  await using server = await startServer({
    dataDir: join(dir.path, 'data'),
    config,
    env: { LOADED_MODULES: file },
    nodeFlags: [...lateOptimizing, `--import=${PRELOAD}`],
  })
  const isThere = async (): Promise<boolean> =>
    (await readFile(file, 'utf8')).includes('@modelcontextprotocol/client')
  if (isLoaded) await expect.poll(isThere, { timeout: 20_000 }).toBe(true)
  await server.stop('SIGTERM')
  expect(await isThere()).toBe(isLoaded)
})
