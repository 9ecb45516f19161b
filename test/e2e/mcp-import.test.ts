import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { expect, test, vi } from 'vitest'
import { importMcp } from '../../src/server/mcp/import.ts'
import { readCommandLine } from '../../src/server/config/flags.ts'
import { operator } from '../support/operator.ts'
import { temporaryDir } from '../support/storage.ts'

/** Runs `sshawl mcp import` on a file with this text, in a directory of its own. */
async function importing(content: unknown, name = 'mcp.json') {
  using dir = temporaryDir()
  const file = join(dir.path, name)
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  const ran = await importHere(file)
  const stderr = ran.stderr.replaceAll(dir.path, 'DIR')
  return { ...ran, stderr, servers: ran.exitCode === 0 ? parse(ran.stdout)['mcp'] : undefined }
}

/** What the command does in a process of its own, without the start of one, which takes ten times as long. */
async function importHere(...words: readonly string[]) {
  using out = vi.spyOn(console, 'log').mockReturnValue()
  using err = vi.spyOn(console, 'error').mockReturnValue()
  const line = readCommandLine(['mcp', 'import', ...words])
  const exitCode = line.verb === 'mcp import' ? await importMcp(line) : undefined
  return { exitCode, stdout: out.mock.calls.join('\n'), stderr: err.mock.calls.join('\n') }
}

/** The real one, at a home of its own. */
async function importInProcess(home: string, ...words: readonly string[]) {
  const { exitCode, stdout, stderr } = await operator(['mcp', 'import', ...words], { HOME: home })
  return { exitCode, stdout, stderr }
}

test('sshawl mcp import prints a command server without secrets and lists the variables to set', async () => {
  const ran = await importing({
    mcpServers: {
      'My Files': { command: 'npx', args: ['-y', 'server-files', '/srv/a b'], env: { LOG_LEVEL: 'debug' } },
      github: {
        ...{ type: 'stdio', command: 'docker', args: ['run', '-i', 'github'], cwd: '/srv' },
        env: { GITHUB_TOKEN: 'ghp_s3cret', API_KEY: '${API_KEY}', OTHER: '${env:ELSE}', PORT: 8080 },
      },
    },
  })
  expect(ran.stdout).toMatch(/^\[\[mcp\]\]\nname = "my-files"\ncommand = \[ "npx", "-y", /)
  expect(ran.servers).toEqual([
    {
      ...{ name: 'my-files', command: ['npx', '-y', 'server-files', '/srv/a b'] },
      env: { LOG_LEVEL: 'debug' },
    },
    {
      ...{ name: 'github', command: ['docker', 'run', '-i', 'github'], cwd: '/srv' },
      ...{ env: { PORT: '8080' }, pass_env: ['GITHUB_TOKEN', 'API_KEY', 'OTHER'] },
    },
  ])
  expect(ran.stderr).toBe('github: set GITHUB_TOKEN, API_KEY, OTHER in the environment of sshawl serve')
  expect(ran.stdout).not.toContain('s3cret')
})

test('sshawl mcp import prints a URL server whose headers come from the environment', async () => {
  const { servers, stderr } = await importing({
    mcpServers: {
      holler: { type: 'http', url: 'http://localhost/mcp', headers: { Authorization: 'Bearer s3cret' } },
      older: { type: 'sse', url: 'http://h/sse', headers: { 'X-Api-Key': 's3cret', B: '${B_VALUE}' } },
      gemini: { httpUrl: 'https://h/mcp', headers: { authorization: 'Basic s3cret' } },
      windsurf: { serverUrl: 'https://h/mcp?api_key=1' },
    },
  })
  expect(servers).toEqual([
    { name: 'holler', url: 'http://localhost/mcp', token_env: 'HOLLER_TOKEN' },
    {
      ...{ name: 'older', url: 'http://h/sse' },
      header_env: { 'X-Api-Key': 'OLDER_X_API_KEY', B: 'B_VALUE' },
    },
    { name: 'gemini', url: 'https://h/mcp', header_env: { authorization: 'GEMINI_AUTHORIZATION' } },
    { name: 'windsurf', url: 'https://h/mcp?api_key=1' },
  ])
  expect(stderr.split('\n')).toEqual([
    'holler: set HOLLER_TOKEN in the environment of sshawl serve',
    'older: set OLDER_X_API_KEY, B_VALUE in the environment of sshawl serve',
    'gemini: set GEMINI_AUTHORIZATION in the environment of sshawl serve',
    'windsurf: a key may be in its command or address; keep the config to yourself',
  ])
})

test.each([
  ['x', ['--api-key', 'k']],
  ['x', ['--header', 'Authorization: Bearer k']],
  ['x', ['postgresql://me:pw@h/db']],
  ['x', ['https://h/mcp?token=k']],
])('sshawl mcp import warns that a key may be in a command: %s %j', async (command, args) => {
  const { stderr } = await importing({ mcpServers: { a: { command, args } } })
  expect(stderr).toBe('a: a key may be in its command or address; keep the config to yourself')
})

test('sshawl mcp import reads the commented JSON of VS Code and reports the omitted parts', async () => {
  const { servers, stderr } = await importing(`{
      // what VS Code asks for
      "inputs": [{ "type": "promptString", "id": "key" }],
      "servers": {
        "perplexity": {
          "type": "stdio", "command": "npx", "args": ["\${workspaceFolder}/x"],
          "env": { "PPLX": "\${input:key}" }, "envFile": ".env", "timeout": 3,
        },
        "off": { "command": "x", "disabled": true },
      },
    }`)
  expect(servers).toEqual([
    { name: 'perplexity', command: ['npx', '${workspaceFolder}/x'], pass_env: ['PPLX'] },
  ])
  expect(stderr.split('\n')).toEqual([
    'perplexity: set PPLX in the environment of sshawl serve',
    'perplexity: write a value for ${workspaceFolder}, which only the agent knows',
    'perplexity: left out: envFile, timeout',
    'off: left out, since it is turned off',
  ])
})

test('sshawl mcp import reads the servers of Codex and names their variables', async () => {
  const config = `
      model = "gpt-5"
      [mcp_servers.files]
      command = "npx"
      args = ["-y", "server-files"]
      env_vars = ["HOME_DIR"]
      startup_timeout_sec = 20
      [mcp_servers.files.env]
      LOG_LEVEL = "debug"
      [mcp_servers.web]
      url = "https://h/mcp"
      bearer_token_env_var = "WEB_TOKEN"
      env_http_headers = { "X-Team" = "TEAM" }
      [mcp_servers.old]
      command = "x"
      enabled = false`
  const { servers, stderr } = await importing(config, 'config.toml')
  expect(servers).toEqual([
    {
      ...{ name: 'files', command: ['npx', '-y', 'server-files'] },
      ...{ pass_env: ['HOME_DIR'], env: { LOG_LEVEL: 'debug' } },
    },
    { ...{ name: 'web', url: 'https://h/mcp', token_env: 'WEB_TOKEN' }, header_env: { 'X-Team': 'TEAM' } },
  ])
  expect(stderr.split('\n')).toEqual([
    'read as the config of Codex',
    'files: set HOME_DIR in the environment of sshawl serve',
    'files: left out: startup_timeout_sec',
    'web: set TEAM, WEB_TOKEN in the environment of sshawl serve',
    'old: left out, since it is turned off',
  ])
})

test.each([
  ['version 1', (mcp: object) => ({ mcp })],
  ['version 2', (servers: object) => ({ mcp: { servers } })],
])('sshawl mcp import reads the servers of opencode, %s', async (_, written) => {
  const local = { type: 'local', command: ['ssh', '-p', '2222', 'h'], environment: { KEY: '{env:MY_KEY}' } }
  const far = { type: 'remote', url: 'https://h/mcp', headers: { Authorization: 'Bearer {env:FAR}' } }
  const { servers, stderr } = await importing(written({ local, far, off: { ...far, enabled: false } }))
  expect(servers).toEqual([
    { name: 'local', command: ['ssh', '-p', '2222', 'h'], pass_env: ['KEY'] },
    { name: 'far', url: 'https://h/mcp', token_env: 'FAR' },
  ])
  expect(stderr.split('\n')).toEqual([
    'read as the config of opencode',
    'local: set KEY in the environment of sshawl serve',
    'far: set FAR in the environment of sshawl serve',
    'off: left out, since it is turned off',
  ])
})

test('the opencode example in docs/mcp.md has each word of its command as a string', async () => {
  const page = await readFile(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
  const [example = ''] = /^ {4}\{ "mcp": [^]*?\n\n/m.exec(page) ?? []
  const { servers } = await importing(JSON.parse(example))
  expect(servers).toEqual([{ name: 'chat', command: ['ssh', '-p', '2222', 'me@host', 'mcp', 'serve'] }])
  expect(page).not.toContain('opencode mcp add')
})

test('sshawl mcp import reports a TOML file that is invalid or has no servers', async () => {
  expect((await importing('{}', 'config.toml')).stderr).toMatch(/^sshawl: DIR\/config\.toml: not TOML: .+/)
  expect((await importing('model = "x"', 'config.toml')).stderr).toContain('[mcp_servers.name] of Codex')
})

test('sshawl mcp import reports servers of single Claude Code projects that it omits', async () => {
  const projects = {
    '/a': { mcpServers: { one: { command: 'x' }, two: { url: 'http://h' } } },
    '/b': { mcpServers: {} },
  }
  const { servers, stderr } = await importing({ mcpServers: { own: { command: 'x' } }, projects })
  expect(servers).toEqual([{ name: 'own', command: ['x'] }])
  expect(stderr).toBe('left out: one, two of projects./a.mcpServers')
  expect((await importing({ projects })).stderr.split('\n')).toEqual([
    expect.stringContaining('there are no MCP servers in it'),
    'sshawl: DIR/mcp.json: left out: one, two of projects./a.mcpServers',
  ])
})

test.each([
  ['', [/^not JSON: /]],
  ['{"mcpServers": {', ['not JSON: invalid end of input at 1:17']],
  ['[]', [/there are no MCP servers in it/]],
  ['{"mcpServers": []}', [/there are no MCP servers in it/]],
  ['{"mcpServers": {"a": {"command": "x", "disabled": true}}}', ['all servers in it are turned off']],
  [
    {
      mcpServers: {
        a: {},
        b: { command: 'x', url: 'http://h' },
        c: { command: 3 },
        d: { command: 'x', args: ['fine', 'a\u001b[31mb'] },
        e: 'x',
        fine: { command: 'x' },
      },
    },
    [
      'a: give it either a command or a url',
      'b: give it either a command or a url',
      /^c\.command: /,
      /^d\.args\.1: /,
      /^e: /,
    ],
  ],
  [
    {
      mcpServers: {
        '***': { command: 'x' },
        'A b': { command: 'x' },
        'a-B': { command: 'x' },
        far: { url: 'ftp://h' },
        own: { url: 'https://me:pw@h/' },
        odd: { command: 'x', env: { 'a-key': 'v' } },
        LS: { command: 'x' },
      },
    },
    [
      /^\*\*\*\.name: use 1-32/,
      'a-B: another one is called a-b, too',
      /^far\.url: write an address/,
      /^own\.url: an address must not hold a password/,
      /^odd\.pass_env\.0: write the name of an environment variable/,
      /^LS: a tool is called ls, so/,
    ],
  ],
])(
  'sshawl mcp import reports every problem of a file and then prints no config',
  async (content, problems) => {
    const { exitCode, stdout, stderr } = await importing(content)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    const said = stderr.split('\n').map((line) => line.replace(/^sshawl: DIR\/mcp\.json: /, ''))
    expect(said).toEqual(
      problems.map((one): unknown => (typeof one === 'string' ? one : expect.stringMatching(one))),
    )
  },
)

test('sshawl mcp import reports a missing argument, a missing file and a directory', async () => {
  using dir = temporaryDir()
  const missing = join(dir.path, 'no.json')
  expect(await importInProcess(dir.path, missing)).toEqual({
    ...{ exitCode: 2, stdout: '', stderr: `sshawl: ${missing}: there is no such file` },
  })
  expect((await importHere(dir.path)).stderr).toContain('it is a directory')
  const without = 'sshawl: mcp import needs the FILE of an agent, such as .mcp.json'
  expect((await importInProcess(dir.path)).stderr).toBe(without)
})

test('sshawl mcp import --add appends to the config, keeps its mode and creates it if needed', async () => {
  using dir = temporaryDir()
  const [from, config] = [join(dir.path, 'mcp.json'), join(dir.path, 'own', 'sshawl.toml')]
  const one = { mcpServers: { one: { command: 'x', env: { A: 'b' } } } }
  await writeFile(from, JSON.stringify(one))
  expect(await importInProcess(dir.path, from, '--add', '--config', config)).toEqual({
    ...{ exitCode: 0, stderr: '', stdout: `one added to ${config}; sshawl reload puts that in force` },
  })
  expect((await stat(config)).mode & 0o777).toBe(0o600)
  const before = `# mine\n[limits]\nturn_depth = 1`
  await writeFile(config, before)
  await chmod(config, 0o640)
  const link = join(dir.path, 'link.toml')
  await symlink(config, link)
  expect((await importHere(from, '--add', '--config', link)).exitCode).toBe(0)
  expect(await readFile(config, 'utf8')).toBe(
    `${before}\n\n[[mcp]]\nname = "one"\ncommand = [ "x" ]\n\n[mcp.env]\nA = "b"\n`,
  )
  expect((await stat(config)).mode & 0o777).toBe(0o640)
})

test('sshawl mcp import --add changes nothing if a name is taken or the config is invalid', async () => {
  using dir = temporaryDir()
  const [from, config] = [join(dir.path, 'mcp.json'), join(dir.path, 'sshawl.toml')]
  await writeFile(from, JSON.stringify({ mcpServers: { one: { command: 'x' }, two: { command: 'x' } } }))
  for (const text of ['[[mcp]]\nname = "one"\ncommand = ["y"]\n', '[limits]\nturn_depht = 1\n', 'x = [\n']) {
    await writeFile(config, text)
    const { exitCode, stderr } = await importHere(from, '--add', '--config', config)
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/sshawl\.toml:\d+: .*; nothing was added$/)])
    expect(await readFile(config, 'utf8')).toBe(text)
  }
  await mkdir(join(dir.path, 'dir.toml'))
  const { stderr } = await importHere(from, '--add', '--config', join(dir.path, 'dir.toml'))
  expect(stderr).toMatch(/dir\.toml: .*; nothing was added$/)
})
