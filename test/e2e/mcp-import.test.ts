import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, test, vi } from 'vitest'
import { importMcp } from '../../src/app/operator/mcp-import.ts'
import { readCommandLine } from '../../src/config/flags.ts'
import { operator } from '../support/operator.ts'
import { temporaryDir } from '../support/storage.ts'

/** Runs `sshawl mcp import` on a file with this text, in a directory of its own. */
async function importing(content: unknown) {
  using dir = temporaryDir()
  const file = join(dir.path, 'mcp.json')
  await writeFile(
    file,
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )
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

describe('sshawl mcp import', () => {
  test('prints servers by command as tables; secrets stay in the file, and a note says what to set', async () => {
    const ran = await importing({
      mcpServers: {
        'My Files': { command: 'npx', args: ['-y', 'server-files', '/srv/a b'], env: { LOG_LEVEL: 'debug' } },
        github: {
          ...{ type: 'stdio', command: 'docker', args: ['run', '-i', 'github'], cwd: '/srv' },
          env: { GITHUB_TOKEN: 'ghp_s3cret', API_KEY: '${API_KEY}', OTHER: '${env:ELSE}', PORT: 8080 },
        },
      },
    })
    expect(ran.stdout.split('\n')).toEqual([
      '[[mcp]]',
      'name = "my-files"',
      'command = ["npx", "-y", "server-files", "/srv/a b"]',
      'env = { LOG_LEVEL = "debug" }',
      '',
      '[[mcp]]',
      'name = "github"',
      'command = ["docker", "run", "-i", "github"]',
      'env = { PORT = "8080" }',
      'pass_env = ["GITHUB_TOKEN", "API_KEY", "OTHER"]',
      'cwd = "/srv"',
    ])
    expect(ran.stderr.split('\n')).toEqual([
      'github: set GITHUB_TOKEN in the environment of sshawl serve: its value stands in DIR/mcp.json',
      'github: set OTHER in the environment of sshawl serve: the agent takes it from ELSE',
    ])
    expect(ran.stdout + ran.stderr).not.toContain('s3cret')
  })

  test('prints servers by address; headers come from the environment', async () => {
    const { servers, stderr } = await importing({
      mcpServers: {
        holler: {
          type: 'http',
          url: 'http://localhost:8080/mcp',
          headers: { Authorization: 'Bearer s3cret' },
        },
        older: {
          type: 'sse',
          url: 'http://localhost/sse',
          headers: { 'X-Api-Key': 's3cret', B: '${B_VALUE}' },
        },
        gemini: { httpUrl: 'https://h/mcp', headers: { authorization: 'Basic s3cret' } },
        windsurf: { serverUrl: 'https://h/mcp?api_key=1' },
      },
    })
    expect(servers).toEqual([
      { name: 'holler', url: 'http://localhost:8080/mcp', token_env: 'HOLLER_TOKEN' },
      {
        ...{ name: 'older', url: 'http://localhost/sse' },
        header_env: { 'X-Api-Key': 'OLDER_X_API_KEY', B: 'B_VALUE' },
      },
      { name: 'gemini', url: 'https://h/mcp', header_env: { authorization: 'GEMINI_AUTHORIZATION' } },
      { name: 'windsurf', url: 'https://h/mcp?api_key=1' },
    ])
    expect(stderr.split('\n')).toEqual([
      'holler: set HOLLER_TOKEN in the environment of sshawl serve: its value stands in DIR/mcp.json',
      'older: set OLDER_X_API_KEY in the environment of sshawl serve: its value stands in DIR/mcp.json',
      'gemini: set GEMINI_AUTHORIZATION in the environment of sshawl serve: its value stands in DIR/mcp.json',
      'windsurf: its address holds a key, so keep the config to yourself',
    ])
    expect(stderr).not.toContain('s3cret')
  })

  test('reads the files of editors, with comments and what they ask for', async () => {
    const { servers, stderr } = await importing(`{
      // what VS Code asks for
      "inputs": [{ "type": "promptString", "id": "key" }],
      "servers": {
        "perplexity": {
          "type": "stdio", "command": "npx", "args": ["\${workspaceFolder}/x"],
          "env": { "PPLX": "\${input:key}" }, "envFile": ".env",
        },
        "off": { "command": "x", "disabled": true },
      },
    }`)
    expect(servers).toEqual([
      { name: 'perplexity', command: ['npx', '${workspaceFolder}/x'], pass_env: ['PPLX'] },
    ])
    expect(stderr.split('\n')).toEqual([
      'perplexity: set PPLX in the environment of sshawl serve: what the agent asks for as ${input:key}',
      'perplexity: write a value in place of ${workspaceFolder}, which only the agent knows',
      'perplexity: .env is not read; name what it needs of it in pass_env',
      'off: left out, since it is turned off in DIR/mcp.json',
    ])
    for (const place of [
      { mcp: { servers: { a: { command: 'x' } } } },
      { context_servers: { a: { command: 'x' } } },
    ])
      expect((await importing(place)).servers).toEqual([{ name: 'a', command: ['x'] }])
  })

  test.each([
    ['', ['it is empty']],
    ['{"mcpServers": {', ['not JSON: invalid end of input at 1:17']],
    ['[]', [/there are no MCP servers in it/]],
    ['{"mcpServers": []}', [/there are no MCP servers in it/]],
    ['{"mcpServers": {}}', ['mcpServers has no server in it']],
    [Buffer.from([0xff, 0xfe, 0, 1]), ['cannot be read: it is no text']],
    [' '.repeat(1_048_577), ['cannot be read: it has more than 1 MiB']],
    [
      {
        mcpServers: {
          a: {},
          b: { command: 'x', url: 'http://h' },
          c: { command: 3 },
          d: { url: 'http://h', type: 'ws' },
          e: 'x',
          fine: { command: 'x' },
        },
      },
      [
        'mcpServers.a: give it either a command or a url',
        'mcpServers.b: give it either a command or a url',
        /^mcpServers\.c\.command: /,
        'mcpServers.d.type: only stdio, http and sse are known',
        /^mcpServers\.e: /,
      ],
    ],
    [
      {
        mcpServers: {
          a: { command: 'run\u0000me', args: ['-c', 'two\nlines\tare text'] },
          b: { command: 'x', args: ['fine', 'a\u001b[31mb'] },
          c: { command: 'x', env: { KEY: 'a\u0007', 'B\u0000': 'b' } },
          d: { url: 'https://h/', headers: { A: '\u009b' } },
          e: { command: ['x', '\u007f'], cwd: '/a\u0000' },
        },
      },
      [
        'mcpServers.a.command: has the control character U+0000 in it; write it without',
        'mcpServers.b.args.1: has the control character U+001B in it; write it without',
        'mcpServers.c.env.KEY: has the control character U+0007 in it; write it without',
        /^mcpServers\.c\.env\.B.*: /,
        'mcpServers.d.headers.A: has the control character U+009B in it; write it without',
        'mcpServers.e.command.1: has the control character U+007F in it; write it without',
        'mcpServers.e.cwd: has the control character U+0000 in it; write it without',
      ],
    ],
    [
      {
        mcpServers: {
          '***': { command: 'x' },
          read: { command: 'x' },
          'A b': { command: 'x' },
          'a-B': { command: 'x' },
          far: { url: 'ftp://h' },
          own: { url: 'https://me:pw@h/' },
          odd: { command: 'x', env: { 'a-key': 'v' } },
          look: { command: 'x' },
          LS: { command: 'x' },
        },
      },
      [
        /^\*\*\* cannot be the name of a server: use 1-32/,
        /^read cannot be the name of a server/,
        'A b and a-B would both be called a-b',
        /^look cannot be the name of a server: a tool is called look, so a scope that names it/,
        /^LS cannot be the name of a server: a tool is called ls, so/,
        /^far: url: write an address/,
        /^own: url: an address must not hold a password/,
        /^odd: pass_env: 0: write the name of an environment variable/,
      ],
    ],
  ])('says all that is wrong with a file, and then prints nothing', async (content, problems) => {
    const { exitCode, stdout, stderr } = await importing(content)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    const said = stderr.split('\n').map((line) => line.replace(/^sshawl: DIR\/mcp\.json: /, ''))
    expect(said).toEqual(
      problems.map((one): unknown => (typeof one === 'string' ? one : expect.stringMatching(one))),
    )
  })

  test('says what it needs, and which file there is not', async () => {
    using dir = temporaryDir()
    const missing = join(dir.path, 'no.json')
    expect(await importInProcess(dir.path, missing)).toEqual({
      ...{ exitCode: 2, stdout: '' },
      stderr: `sshawl: ${missing}: cannot be read: there is no such file`,
    })
    expect((await importHere(dir.path)).stderr).toContain('it is a directory')
    expect((await importInProcess(dir.path, 'x', 'y')).stderr).toContain('unexpected "y"')
    const without = 'sshawl: mcp import needs the FILE of an agent, such as .mcp.json'
    expect((await importInProcess(dir.path)).stderr).toBe(without)
  })

  test('prints what is the same in a process of its own', async () => {
    using dir = temporaryDir()
    const file = join(dir.path, 'mcp.json')
    await writeFile(file, '{"mcpServers": {"one": {"command": "x", "env": {"A_TOKEN": "s3cret"}}}}')
    const printed = await importInProcess(dir.path, file)
    expect(printed).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('name = "one"') as string })
    expect(printed).toEqual(await importHere(file))
  })
})

describe('sshawl mcp import --add', () => {
  test('adds the servers to the config, which keeps its mode, and is made where there is none', async () => {
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
      `${before}\n\n[[mcp]]\nname = "one"\ncommand = ["x"]\nenv = { A = "b" }\n`,
    )
    expect((await stat(config)).mode & 0o777).toBe(0o640)
  })

  test('changes nothing where a name is taken, or the config is wrong already', async () => {
    using dir = temporaryDir()
    const [from, config] = [join(dir.path, 'mcp.json'), join(dir.path, 'sshawl.toml')]
    await writeFile(from, JSON.stringify({ mcpServers: { one: { command: 'x' }, two: { command: 'x' } } }))
    for (const text of [
      '[[mcp]]\nname = "one"\ncommand = ["y"]\n',
      '[limits]\nturn_depht = 1\n',
      'x = [\n',
    ]) {
      await writeFile(config, text)
      const { exitCode, stderr } = await importHere(from, '--add', '--config', config)
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringMatching(/sshawl\.toml:\d+: .*; nothing was added$/),
      ])
      expect(await readFile(config, 'utf8')).toBe(text)
    }
    await mkdir(join(dir.path, 'dir.toml'))
    const { stderr } = await importHere(from, '--add', '--config', join(dir.path, 'dir.toml'))
    expect(stderr).toMatch(/cannot be read: .*; nothing was added$/)
  })
})
