import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import type { ToolProgress } from '../../../src/words/tool-progress.ts'
import type { JsonObject } from '../../../src/base/json.ts'
import type { Tool } from '../../../src/tools/tool.ts'
import type { ToolContext } from '../../../src/tools/context.ts'
import { byCommand, createRawServers, connectRawServers, rawServer } from '../../support/mcp/raw-servers.ts'
import { built } from '../../support/built.ts'

/** A tool of a server uses nothing of its context but the signal. */
const call = (tool: Tool | undefined, args: JsonObject = {}, signal = new AbortController().signal) =>
  tool!.run(args, { signal } as ToolContext)

const usual = (name: string, behaviour = 'usual') => byCommand(name, rawServer(behaviour))

test('tools of an MCP server are prefixed with its name and have execute access', async () => {
  await using servers = await connectRawServers([usual('raw')])
  expect(servers.ids()).toEqual([
    'raw_echo',
    'raw_die',
    'raw_hang',
    'raw_cancelled',
    'raw_environment',
    'raw_look',
  ])
  expect(servers.sources().map(({ group, name }) => [group, name])).toEqual([['mcp', 'raw']])
  expect(servers.tool('raw_look')).toMatchObject({
    title: 'look',
    description: 'Does look.',
    schema: { type: 'object' },
    access: 'execute',
  })
})

test('the read-only annotation of a tool is honored if its MCP server is trusted', async () => {
  await using servers = await connectRawServers([{ ...usual('raw'), trust: 'annotations' }])
  expect(servers.tool('raw_look')?.access).toBe('read')
  expect(servers.tool('raw_echo')?.access).toBe('execute')
})

test('a tool result names its MCP server as the outside source, and the server gets only PATH', async () => {
  await using servers = await connectRawServers([usual('raw')])
  expect(await call(servers.tool('raw_echo'), { a: 'b' })).toEqual({
    content: '{"a":"b"}',
    isError: false,
    outside: { from: 'server "raw"', head: 0, tail: 0 },
  })
  expect((await call(servers.tool('raw_environment'))).content).toMatch(/^PATH$/m)
})

test('a call fails if its MCP server dies, and the server is connected again', async () => {
  await using servers = await connectRawServers([usual('raw'), usual('other')])
  const { content, isError } = await call(servers.tool('raw_die'))
  expect({ content, isError }).toEqual({ content: 'ERROR: raw_die: it ended with status 3', isError: true })
  await servers.until(() => servers.told.length === 2)
  expect(servers.told).toEqual([
    'left raw: it ended with status 3',
    'back raw: raw_echo raw_die raw_hang raw_cancelled raw_environment raw_look',
  ])
  expect((await call(servers.tool('other_echo'))).isError).toBe(false)
})

test.each([
  ['throw new Error("no DATABASE_URL")', 'Error: no DATABASE_URL'],
  ['Promise.reject(new TypeError("bad", { cause: new Error("inner") }))', 'TypeError: bad'],
  ['console.error("Error: no key\\nusage: serve KEY"); process.exit(1)', 'Error: no key'],
  [
    'console.error("npm error code E404\\nnpm error 404 Not Found - GET x\\nnpm error A complete log of this run can be found in: /x"); process.exit(1)',
    'npm error 404 Not Found - GET x',
  ],
  [
    'console.error("\\u001b[31mError: red\\u0007" + "!".repeat(999)); process.exit(1)',
    `Error: red${'!'.repeat(190)}`,
  ],
  ['console.error("    at a:1\\n    at b:2"); process.exit(1)', 'at b:2'],
  ['process.exit(1)', undefined],
])(
  'an MCP server that exits at once with %s is down with its exit status and error line',
  async (script, words) => {
    await using servers = createRawServers([byCommand('raw', [process.execPath, '-e', script])])
    await servers.until(() => servers.state('raw')?.kind === 'down')
    const why = words === undefined ? 'it ended with status 1' : `it ended with status 1: ${words}`
    expect(servers.state('raw')).toEqual({ kind: 'down', why })
  },
)

test('an MCP server with the name of a tool offers no tools while that tool exists', async () => {
  const taken: string[] = []
  await using servers = await connectRawServers([usual('look'), usual('raw')], {}, { taken })
  taken.push('look')
  expect(servers.ids().filter((id) => id.startsWith('look'))).toEqual([])
  expect(servers.state('look')).toEqual({
    kind: 'down',
    why: 'a tool is called look, so a scope that names it would let in all tools of the server; give the server another name',
  })
  expect(servers.ids()).toHaveLength(6)
  taken.pop()
  expect(servers.ids()).toHaveLength(12)
})

test('an MCP tool whose id equals the name of another MCP server gets a hash suffix', async () => {
  await using servers = await connectRawServers([usual('raw'), usual('raw_echo')])
  expect(servers.ids()).not.toContain('raw_echo')
  expect(servers.ids()[0]).toMatch(/^raw_echo_[0-9a-f]{8}$/)
})

test('an MCP server is told if a call is stopped', async () => {
  await using servers = await connectRawServers([usual('raw')])
  const stop = new AbortController()
  const called = call(servers.tool('raw_hang'), {}, stop.signal)
  await call(servers.tool('raw_echo'))
  stop.abort(new Error('stopped'))
  await expect(called).rejects.toThrow('stopped')
  expect((await call(servers.tool('raw_cancelled'))).content).toMatch(/cancelled: .*stopped/)
})

test('the progress of a call is sanitized, and invalid progress does not fail the call', async () => {
  await using servers = await connectRawServers([usual('raw', 'slow')])
  const stop = new AbortController()
  const told: ToolProgress[] = []
  const during = (id: string) =>
    servers.tool(id)!.run({}, {
      signal: stop.signal,
      progress: (one: ToolProgress) => {
        told.push(one)
        if (one.text === 'half way') stop.abort(new Error('stopped'))
      },
    } as ToolContext)
  expect((await during('raw_wild')).isError).toBe(false)
  for (const { share = 0, text } of told) {
    expect(share).toBeGreaterThanOrEqual(0)
    expect(share).toBeLessThanOrEqual(1)
    expect(text).toMatch(/^[ -~]{0,60}$/)
  }
  await expect(during('raw_slow')).rejects.toThrow('stopped')
  expect(told.at(-1)).toEqual({ share: 0.5, text: 'half way' })
})

test('MCP servers that never answer or cannot start are down, and do not delay others', async () => {
  const missing = byCommand('gone', ['/no/such/program'])
  await using servers = createRawServers([usual('mute', 'mute'), missing, usual('raw')], { connectMs: 300 })
  await servers.until(() => servers.ids().length > 0)
  await servers.until(() => servers.state('mute')?.kind === 'down' && servers.state('gone')?.kind === 'down')
  expect(servers.state('mute')).toEqual({ kind: 'down', why: 'it did not answer within 0.3 s' })
  expect(servers.state('gone')).toEqual({
    kind: 'down',
    why: expect.stringMatching(/^it ended with status 127: .*\/no\/such\/program/) as string,
  })
  expect(servers.told).toEqual([])
  expect((await call(servers.tool('raw_echo'))).isError).toBe(false)
})

test('an MCP server that ignores the end of its input is killed when its connection is closed', async () => {
  const servers = createRawServers([usual('stays', 'stays')])
  await servers.until(() => servers.ids().length > 0)
  const { content } = await call(servers.tool('stays_pid'))
  const pid = Number(/^(\d+)$/.exec(content)?.[1])
  expect(() => process.kill(pid, 0)).not.toThrow()
  await servers[Symbol.asyncDispose]()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(servers.told).toEqual([])
})

test('requests of an MCP server for sampling, elicitation or roots are refused with an explanation', async () => {
  await using servers = await connectRawServers([usual('raw', 'asks')])
  const { content } = await call(servers.tool('raw_refusal'))
  for (const method of ['sampling/createMessage', 'elicitation/create', 'roots/list'])
    expect(content).toContain(`${method}: sshawl asks neither its people nor its models for a server`)
})

test('an MCP message of 50 MiB fails its call, and later calls to MCP servers succeed', async () => {
  await using servers = await connectRawServers([usual('big', 'huge'), usual('raw')])
  const { content } = await call(servers.tool('big_huge'))
  expect(content).toBe('ERROR: big_huge: it sent a message of more than 4 MiB')
  expect(servers.told).toEqual([])
  expect((await call(servers.tool('big_echo'))).isError).toBe(false)
  expect((await call(servers.tool('raw_echo'))).isError).toBe(false)
})

test('an MCP server that sends without end is read more slowly, and other servers still answer', async () => {
  await using servers = await connectRawServers([usual('flood', 'flood'), usual('raw')])
  expect((await call(servers.tool('raw_echo'))).isError).toBe(false)
  const slowed = 'an MCP server sends very much; it is read more slowly'
  await servers.until(() => servers.warned.includes(slowed))
  expect(servers.warned.filter((text) => text === slowed)).toHaveLength(1)
})

test('tool names of an MCP server are sanitized and collide with no other tool', async () => {
  const all = [usual('raw', 'names'), usual('raw_two')]
  await using servers = createRawServers(all, {}, { taken: ['raw_run_command'] })
  await servers.until(() => servers.sources().every((one) => one.tools().length > 0))
  const ids = servers
    .sources()[0]!
    .tools()
    .map(({ id }) => id)
  expect(ids).toEqual([
    expect.stringMatching(/^raw_run_command_[0-9a-f]{8}$/),
    expect.stringMatching(/^raw_a__31mb__[0-9a-f]{8}$/),
    expect.stringMatching(/^raw_Echo_[0-9a-f]{8}$/),
    expect.stringMatching(/^raw_echo_[0-9a-f]{8}$/),
    expect.stringMatching(/^raw_x{51}_[0-9a-f]{8}$/),
    expect.stringMatching(/^raw_two_fetch_[0-9a-f]{8}$/),
  ])
  expect((await call(servers.tool(ids[0]!), { a: 1 })).content).toContain('{"a":1}')
})

test('invalid tools of an MCP server are left out with a reason, and one warning is logged', async () => {
  await using servers = await connectRawServers([usual('raw', 'odd')])
  expect(servers.ids()).toEqual(['raw_fine'])
  expect(servers.state('raw')).toEqual({
    kind: 'up',
    leftOut: [
      { name: 'fine', why: 'another tool has this name' },
      { name: '', why: 'its name is not as the protocol has it' },
      {
        name: expect.stringMatching(/^no\P{Cc}*schema$/u),
        why: 'its inputSchema is not as the protocol has it',
      },
      { name: 'described', why: 'its description is not as the protocol has it' },
      { name: 'deep', why: 'its schema is nested too deep' },
      { name: 'long', why: 'its schema has more than 100000 characters' },
      { name: '', why: 'its entry is not as the protocol has it' },
      { name: '', why: 'its entry is not as the protocol has it' },
    ],
  })
  await servers.find('raw')?.refresh()
  expect(servers.warned).toEqual(['tools of an MCP server are left out'])
})

test('a tool with a recursive schema is offered, and one nested too deep is left out', async () => {
  await using servers = await connectRawServers([usual('raw', 'cycle')])
  expect(servers.ids()).toEqual(['raw_cyclic', 'raw_fine'])
  expect(servers.tool('raw_cyclic')?.schema).toMatchObject({ properties: { next: { $ref: '#' } } })
})

test('the tool list is read again when it changes, and unchanged tools stay the same objects', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-mcp-'))
  try {
    const file = join(dir, 'tools.json')
    const one = { name: 'one', description: 'One.', inputSchema: { type: 'object' } }
    await writeFile(file, JSON.stringify([one]))
    await using servers = await connectRawServers([byCommand('raw', rawServer('usual', file))])
    const before = servers.tool('raw_one')
    await writeFile(file, JSON.stringify([one, { ...one, name: 'more' }]))
    await servers.until(() => servers.ids().length === 2)
    expect(servers.ids()).toEqual(['raw_one', 'raw_more'])
    expect(servers.tool('raw_one')).toBe(before)
    expect(servers.told).toEqual([])
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})

test('a config change starts and stops MCP servers without restarting the unchanged ones', async () => {
  await using servers = await connectRawServers([usual('one'), usual('two')])
  const before = servers.tool('one_echo')
  await servers.follow([usual('one'), usual('three')])
  await servers.until(() => servers.tool('three_echo') !== undefined)
  expect(servers.tool('one_echo')).toBe(before)
  expect(servers.tool('two_echo')).toBeUndefined()
})

test('an MCP server that ignores the end of its input ends when sshawl is killed', async () => {
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
