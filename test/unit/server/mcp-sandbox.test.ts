import { constants, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { McpByCommand, McpServerConfig } from '../../../src/mcp/config.ts'
import { createLaunch } from '../../../src/server/mcp/open.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { mcpConfigIn } from '../../support/commands/command-world.ts'
import { createRawServers, rawServer, type RawServers } from '../../support/mcp/raw-servers.ts'
import { lacks } from '../../support/needs.ts'
import { temporaryDir } from '../../support/storage.ts'

/** A server of the sandbox sees only its directory, so its program lies there, and Node, which may be installed anywhere. */
async function inDirectory(dir: string, sandbox: 'alone' | 'network'): Promise<McpServerConfig> {
  const [node = '', program = ''] = rawServer('usual')
  await mkdir(dir, { recursive: true })
  await writeFile(join(dir, 'server.mjs'), await readFile(program))
  await copyFile(node, join(dir, 'node'), constants.COPYFILE_FICLONE)
  const env = { PATH: process.env['PATH'] ?? '', GIVEN: 'x' }
  const reach: McpByCommand = { command: ['./node', 'server.mjs', 'confined'], env, sandbox }
  return { name: 'raw', trust: 'ask', reach }
}

const call = async (servers: RawServers, id: string, args: object = {}): Promise<string> => {
  const tool: Tool | undefined = servers.tool(id)
  return (await tool!.run(args, { signal: new AbortController().signal } as ToolContext)).content
}

describe.skipIf(lacks('bwrap'))('a server in the sandbox', () => {
  test('an MCP server in the sandbox sees only its own directory and environment', async () => {
    using data = temporaryDir()
    const own = join(data.path, 'mcp', 'raw')
    await writeFile(join(data.path, 'secret'), 's3cret')
    const config = await inDirectory(own, 'alone')
    await using servers = createRawServers(
      [config],
      {},
      { launch: createLaunch(() => mcpConfigIn(data.path)) },
    )
    await servers.until(() => servers.state('raw')?.kind !== 'connecting')
    expect(servers.state('raw')).toEqual({ kind: 'up', leftOut: [] })
    expect(await call(servers, 'raw_echo', { a: 'b' })).toContain('{"a":"b"}')
    expect(await call(servers, 'raw_environment')).toBe('GIVEN HOME LANG PATH PWD')
    expect(await call(servers, 'raw_file', { path: join(data.path, 'secret') })).toContain('ENOENT')
    expect(await call(servers, 'raw_file', { path: '/workspace/server.mjs' })).toContain('createInterface')
    expect(await call(servers, 'raw_network')).not.toMatch(/eth|en[ps]\d/)
  })

  test('an MCP server for the sandbox is not started if [sandbox] mode is "none"', async () => {
    using data = temporaryDir()
    const config = await inDirectory(join(data.path, 'mcp', 'raw'), 'alone')
    const now = mcpConfigIn(data.path)
    const launch = createLaunch(() => ({ ...now, sandbox: { ...now.sandbox, mode: 'none' } }))
    await using servers = createRawServers([config], {}, { launch })
    await servers.until(() => servers.state('raw')?.kind === 'down')
    expect(servers.state('raw')).toEqual({
      kind: 'down',
      why: 'it is to run in the sandbox, and [sandbox] mode is "none"',
    })
  })
})
