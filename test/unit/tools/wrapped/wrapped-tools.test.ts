import { mkdtemp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NO_LOG } from '../../../../src/wrap/embedding/context.ts'
import { createWorkspaces } from '../../../../src/sandbox/workspaces.ts'
import { createWrappedTools, readToolFiles } from '../../../../src/tools/wrapped/wrapped-tools.ts'
import { paths } from '../../../../src/base/paths.ts'
import { BUILTIN_IDS, builtinTools, WORKSPACE_TOOLS } from '../../../../src/tools/builtin/index.ts'
import { defineTool } from '../../../../src/tools/define-tool.ts'
import type { ToolContext } from '../../../../src/tools/context.ts'
import type { Tool } from '../../../../src/tools/tool.ts'
import { contextFor } from '../context.ts'
import { lacks } from '../../../support/needs.ts'
import { callTool } from '../../../support/call-tool.ts'
import { runs } from '../../../support/runs.ts'

const home = await mkdtemp(join(tmpdir(), 'sshawl-wrapped-'))
afterAll(() => rm(home, { recursive: true }))

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(home, 'tools-'))
})

const load = (options: { disabled?: readonly string[]; dirs?: readonly string[] } = {}) =>
  createWrappedTools({
    dirs: options.dirs ?? [dir],
    bases: { tools: builtinTools(), ids: BUILTIN_IDS, kept: ['look'], disabled: options.disabled ?? [] },
    log: NO_LOG,
  })

const alias = (name: string, wrapped: string): string => `@name ${name}\n@wrapped ${wrapped}\n`
const wrapper = (name: string, lines: string): string =>
  `What it does.\n\n@title T\n@name ${name}\n@wrapped run_command\n@param arguments {array<string>} [required] x\n${lines}\n`

/** A file that is built on `web_fetch`, with these parameters. */
const page = (params: string): string =>
  `What it does.\n\n@title T\n@name Page\n@wrapped web_fetch\n${params}\n`

const WEB_FETCH_TAKES =
  'it takes url {string}, format {string}, or their values in this order as arguments {array<string>}'

const put = (file: string, text: string | Buffer): Promise<void> => writeFile(join(dir, file), text)

it.each(['@comand ls {arguments}', '@Command ls', '@title T', '@example {}', 'x', '@bogus'])(
  'a .tool file with %s makes no plain alias of run_command',
  async (line) => {
    await put(
      'a.tool',
      line.startsWith('@') ? alias('lsx', 'run_command') + line : line + '\n\n' + alias('lsx', 'run_command'),
    )
    await using wrapped = await load()
    expect(wrapped.tools()).toEqual([])
    expect(wrapped.problems().map(({ message }) => message)).toEqual([
      'a tool built on run_command needs @command and @param; a plain alias has only @name and @wrapped',
    ])
  },
)

it('a .tool file may replace a fallback tool, but no other built-in tool', async () => {
  await put('glob.tool', wrapper('glob', '@command find {arguments} -type f'))
  await put('read.tool', alias('read_file', 'write_file'))
  await using wrapped = await load()
  expect(wrapped.tools().map((tool) => tool.id)).toEqual(['glob'])
  expect(wrapped.problems().map(({ message }) => message)).toEqual([
    'read_file is the name of a built-in tool',
  ])
})

it('the bundled wrapped tools load without a problem and build on built-in tools', async () => {
  await using wrapped = await load({ dirs: [paths.wrappedTools] })
  expect(wrapped.problems()).toEqual([])
  expect(wrapped.warnings()).toEqual([])
  const shown = wrapped
    .tools()
    .map(({ id, access, base, aliasOf }) => ({ id, access, from: base ?? aliasOf }))
  expect(shown).toEqual(
    expect.arrayContaining([
      { id: 'Glob', access: 'read', from: 'run_command' },
      { id: 'Grep', access: 'read', from: 'run_command' },
      { id: 'LS', access: 'read', from: 'run_command' },
      { id: 'Read', access: 'read', from: 'read_file' },
    ]),
  )
  const known = new Set(builtinTools().map((tool) => tool.id))
  for (const { from } of shown) expect(known).toContain(from)
})

it('bad .tool files are reported with their line, and the others are loaded', async () => {
  await put('a.tool', alias('Reader', 'read_file'))
  await put('b.tool', '@name Broken\n')
  await put('c.tool', Buffer.from([0xff, 0xfe, 0x00]))
  await put('d.tool', 'x'.repeat(70_000))
  await put('e.tool', '')
  await put('f.txt', alias('NotATool', 'read_file'))
  await mkdir(join(dir, 'g.tool'))
  await using wrapped = await load()
  expect(wrapped.tools().map((tool) => tool.id)).toEqual(['Reader'])
  expect(
    wrapped.problems().map(({ file, line, message }) => [file.slice(dir.length + 1), line, message]),
  ).toEqual([
    ['b.tool', 1, '@wrapped is missing: @wrapped and the name of a tool'],
    ['c.tool', 1, 'it is not UTF-8 text'],
    ['d.tool', 1, 'it has 68 KiB; a .tool file has at most 64 KiB'],
    ['e.tool', 1, '@name is missing: @name and the name of a tool'],
    ['e.tool', 1, '@wrapped is missing: @wrapped and the name of a tool'],
  ])
})

it.each([
  [
    'a base that does not exist',
    alias('X', 'read_fil'),
    'there is no tool called read_fil; did you mean read_file?',
  ],
  [
    'the name of a built-in tool',
    alias('calculator', 'read_file'),
    'calculator is the name of a built-in tool',
  ],
  ['the name of a tool of the rooms', alias('look', 'read_file'), 'look is the name of a tool of the rooms'],
  ['itself', alias('X', 'X'), '@wrapped goes in a circle: X -> X'],
  [
    'a command on a tool that takes none',
    wrapper('X', '@command ls {arguments}').replace('run_command', 'read_file'),
    'read_file cannot be wrapped; only an alias (@name and @wrapped alone) can be made of it',
  ],
  [
    'parameters without a command on the shell',
    wrapper('X', ''),
    'a tool built on run_command needs @command',
  ],
  [
    'a title without a command on the shell',
    `@title T\n${alias('X', 'run_command')}`,
    'a tool built on run_command needs @command and @param; a plain alias has only @name and @wrapped',
  ],
  [
    'more access than the base has',
    wrapper('X', '@command ls {arguments}\n@access network\n@deny none'),
    '@access network is more than run_command has (execute); it can only be lowered',
  ],
  [
    'a parameter that its base does not have',
    page('@param adress {string}'),
    `web_fetch cannot take @param adress {string}; ${WEB_FETCH_TAKES}`,
  ],
  [
    'arguments that are no words',
    page('@param arguments {array<integer>} [required] x'),
    `web_fetch cannot take @param arguments {array<integer>}; ${WEB_FETCH_TAKES}`,
  ],
])('a .tool file that names %s is refused', async (_, text, message) => {
  await put('x.tool', text)
  await using wrapped = await load()
  expect(wrapped.problems().map((problem) => problem.message)).toEqual([message])
  expect(wrapped.tools()).toEqual([])
})

it('a .tool file replaces one in a later directory that has the same tool name or file name', async () => {
  const [own, bundled] = [dir, await mkdtemp(join(home, 'bundled-'))]
  await writeFile(join(bundled, 'Count.tool'), alias('Count', 'read_file'))
  await writeFile(join(bundled, 'Show.tool'), alias('Show', 'read_file'))
  await writeFile(join(bundled, 'Sum.tool'), alias('Sum', 'calculator'))
  await put('count.tool', alias('counting', 'calculator'))
  await put('a.tool', alias('Show', 'calculator'))
  await using wrapped = await load({ dirs: [own, bundled, own] })
  expect(wrapped.tools().map(({ id, aliasOf }) => [id, aliasOf])).toEqual([
    ['Sum', 'calculator'],
    ['Show', 'calculator'],
    ['counting', 'calculator'],
  ])
  expect(wrapped.problems()).toEqual([])
  expect(wrapped.replaced()).toEqual([
    { file: join(bundled, 'Count.tool'), by: join(own, 'count.tool') },
    { file: join(bundled, 'Show.tool'), by: join(own, 'a.tool') },
  ])
})

it('an invalid .tool file still replaces the bundled one of its name', async () => {
  const bundled = await mkdtemp(join(home, 'bundled-'))
  await writeFile(join(bundled, 'Grep.tool'), alias('Grep', 'read_file'))
  await put('Grep.tool', '@name Grep\n')
  await using wrapped = await load({ dirs: [dir, bundled] })
  expect(wrapped.tools()).toEqual([])
  expect(wrapped.problems()).toHaveLength(1)
})

it('two wrapped tools of one name in one directory are a problem', async () => {
  await put('a.tool', alias('Same', 'read_file'))
  await put('b.tool', alias('Same', 'calculator'))
  await using wrapped = await load()
  expect(wrapped.tools().map(({ aliasOf }) => aliasOf)).toEqual(['read_file'])
  expect(wrapped.problems()).toEqual([
    { file: join(dir, 'b.tool'), line: 1, message: `Same is already defined in ${join(dir, 'a.tool')}` },
  ])
})

it('a .tool file that becomes invalid keeps its tool until the file is removed', async () => {
  await put('a.tool', alias('Kept', 'read_file'))
  await using wrapped = await load()
  await put('a.tool', '@name Kept\n')
  await wrapped.reload()
  expect(wrapped.tools().map(({ id }) => id)).toEqual(['Kept'])
  expect(wrapped.problems()).toHaveLength(1)
  await rm(join(dir, 'a.tool'))
  await wrapped.reload()
  expect([wrapped.tools(), wrapped.problems()]).toEqual([[], []])
})

it('an error of an alias names the alias, even for an alias of an alias', async () => {
  await put('a.tool', alias('Look', 'read_file'))
  await put('b.tool', alias('See', 'Look'))
  await using wrapped = await load()
  for (const tool of wrapped.tools()) {
    const { content } = await tool.run({}, contextFor({} as ToolContext['workspace']))
    expect(content).toBe(`ERROR: ${tool.id}: file_path is required (a string)`)
  }
})

it('a wrapped tool is unavailable if its program is missing or its base is unavailable', async () => {
  await put('a.tool', wrapper('Frob', '@command no-such-program {arguments}'))
  await put('b.tool', wrapper('Ls', '@command ls {arguments}'))
  await put('c.tool', alias('Frobbing', 'Frob'))
  const reasons = ({ tools }: { tools(): readonly Tool[] }) =>
    tools().map(({ id, unavailable }) => [id, unavailable])
  await using wrapped = await load()
  expect(reasons(wrapped)).toEqual([
    ['Frob', 'this machine has no program no-such-program'],
    ['Ls', undefined],
    ['Frobbing', 'this machine has no program no-such-program'],
  ])
  const tools = builtinTools({ noCommands: 'no bubblewrap' })
  await wrapped.reload({ dirs: [dir], bases: { tools, ids: BUILTIN_IDS, kept: [], disabled: [] } })
  expect(reasons(wrapped)).toContainEqual(['Ls', 'no bubblewrap'])
})

it('aliases of aliases are resolved in any order, and circular ones are refused', async () => {
  await put('a.tool', alias('A', 'B'))
  await put('b.tool', alias('B', 'read_file'))
  await put('c.tool', alias('C', 'D'))
  await put('d.tool', alias('D', 'C'))
  await using wrapped = await load()
  expect(wrapped.tools().map(({ id, aliasOf }) => [id, aliasOf])).toEqual([
    ['A', 'B'],
    ['B', 'read_file'],
  ])
  expect(wrapped.problems().map(({ message }) => message)).toEqual([
    '@wrapped goes in a circle: C -> D -> C',
    'D, which it builds on, could not be made',
  ])
})

it('wrapped tools with a disabled base are omitted', async () => {
  await put('a.tool', alias('Shell', 'run_command'))
  await put('b.tool', wrapper('Echo', '@command echo {arguments}'))
  await put('c.tool', alias('Again', 'Shell'))
  await put('d.tool', alias('Reader', 'read_file'))
  await using wrapped = await load({ disabled: ['run_command'] })
  expect(wrapped.tools().map((tool) => tool.id)).toEqual(['Reader'])
})

it('a missing directory of wrapped tools is a warning, not a problem', async () => {
  await using wrapped = await load({ dirs: [join(dir, 'missing')] })
  expect(wrapped.problems()).toEqual([])
  expect(wrapped.warnings().map(({ message }) => message)).toEqual([
    'the directory is not there yet; it is read as soon as it is',
  ])
})

describe.skipIf(lacks('bwrap'))('a wrapped tool', () => {
  let workspaces: ReturnType<typeof createWorkspaces>
  let bundled: Awaited<ReturnType<typeof createWrappedTools>>
  let files: string
  const workspace = () => workspaces.of('lobby')

  beforeAll(async () => {
    const root = await mkdtemp(join(home, 'rooms-'))
    files = join(root, 'lobby', 'files')
    await mkdir(join(files, 'src'), { recursive: true })
    await writeFile(join(files, 'src', 'a.ts'), 'one\nTODO two\n')
    await writeFile(join(root, 'secret.txt'), 'TODO secret\n')
    await symlink(join(root, 'secret.txt'), join(files, 'link'))
    await symlink(root, join(files, 'up'))
    workspaces = createWorkspaces({ root, searchEntry: paths.fileSearch, mode: 'bubblewrap', log: NO_LOG })
    bundled = await load({ dirs: [paths.wrappedTools] })
  })
  afterAll(async () => {
    await workspaces[Symbol.asyncDispose]()
    await bundled[Symbol.asyncDispose]()
  })

  const tool = (id: string): Tool => {
    const found = bundled.tools().find((each) => each.id === id)
    if (!found) throw new Error(`no ${id}`)
    return found
  }

  it('a read-only wrapped tool runs without a permission request', async () => {
    const context = contextFor(workspace(), 'deny')
    expect(await callTool(tool('Grep'), { arguments: ['-rn', 'TODO', '.'] }, context)).toEqual({
      content: './src/a.ts:2:TODO two\n',
      isError: false,
    })
    expect((await callTool(tool('Glob'), { arguments: ['.', '-name', '*.ts'] }, context)).content).toBe(
      './src/a.ts\n',
    )
    expect((await callTool(tool('LS'), { arguments: ['src'] }, context)).content).toBe('a.ts\n')
    expect(context.asked).toEqual([])
  })

  it('LS shows a name with a line feed on one line', async () => {
    await mkdir(join(files, 'odd'))
    await writeFile(join(files, 'odd', 'größe\nREADME.md\u009b31m'), '')
    const { content } = await callTool(tool('LS'), { arguments: ['odd'] }, contextFor(workspace(), 'deny'))
    await rm(join(files, 'odd'), { recursive: true })
    expect(content).toBe('"größe\\nREADME.md\\302\\23331m"\n')
  })

  it.each([
    ['Glob', ['odd'], ''],
    ['Grep', ['-rn', 'TODO', 'odd'], ':1:TODO odd'],
    ['Grep', ['-rl', 'odd'], ''],
  ])('%s %j spells out hidden characters in names that a command made', async (id, args, end) => {
    const odd = join(files, 'odd')
    const names = ['x\n./src/b.ts', 'a\u202eb\u009bc', 'größe\t1']
    await mkdir(join(odd, 'x\n.', 'src'), { recursive: true })
    for (const name of names) await writeFile(join(odd, name), 'TODO odd\n')
    const { content } = await callTool(tool(id), { arguments: args }, contextFor(workspace(), 'deny'))
    await rm(odd, { recursive: true })
    const shown = ['x\\u{a}./src/b.ts', 'a\\u{202e}b\\u{9b}c', 'größe\\u{9}1']
    const rows = shown.map((name) => `odd/${name}${end}`)
    expect(content.trimEnd().split('\n').toSorted()).toEqual(rows.toSorted())
  })

  it.each([
    ['Glob', ['.', '-name', '*.ts'], './src/a.ts\n'],
    ['Grep', ['-rn', 'TODO', '.'], './src/a.ts:2:TODO two\n'],
    ['LS', ['-1a', 'src'], '.\n..\na.ts\n'],
  ])(
    'links named like letters of options are not followed and refuse no call: %s %j',
    async (id, args, output) => {
      const links = ['a', 'e', 'n'].map((name) => join(files, name))
      for (const link of links) await symlink(home, link)
      try {
        const result = await callTool(tool(id), { arguments: args }, contextFor(workspace(), 'deny'))
        expect(result).toEqual({ content: output, isError: false })
      } finally {
        for (const link of links) await rm(link)
      }
    },
  )

  it.each([
    ['Grep', ['-rn', '// TODO', '.'], './src/urls:1:// TODO href=/x\n'],
    ['Grep', ['-rn', '/api/v1', '.'], './src/urls:2:get /api/v1 -foo\n'],
    ['Grep', ['-rn', '--', '-foo', '.'], './src/urls:2:get /api/v1 -foo\n'],
    [
      'Grep',
      ['-h', '--regexp=/api', '--regexp', '// TODO', 'src/urls'],
      '// TODO href=/x\nget /api/v1 -foo\n',
    ],
    ['Grep', ['-c', '-m', '1', '--include', '*/..', '../x', 'src/urls'], 'No matches.'],
    ['LS', ['-I', '/up', 'src'], 'a.ts\nurls\n'],
  ])(
    'a wrapped tool accepts a pattern that resembles a path or an option: %s %j',
    async (id, args, output) => {
      await writeFile(join(files, 'src', 'urls'), '// TODO href=/x\nget /api/v1 -foo\n')
      try {
        const { content } = await tool(id).run({ arguments: args }, contextFor(workspace(), 'deny'))
        expect(content.replace(/^0\n/, 'No matches.')).toContain(output)
      } finally {
        await rm(join(files, 'src', 'urls'))
      }
    },
  )

  it('Grep reports no match as a success and an error of grep as an error', async () => {
    const context = contextFor(workspace())
    expect(await callTool(tool('Grep'), { arguments: ['-rn', 'nowhere', '.'] }, context)).toEqual({
      content: 'No matches.',
      isError: false,
    })
    const failed = await callTool(tool('Grep'), { arguments: ['-rn', 'x', 'missing'] }, context)
    expect(failed.content).toBe(
      'ERROR: Grep: the command exited with code 2\ngrep: missing: No such file or directory\n',
    )
  })

  it.each([
    [['-rn', '$(touch pwned)', '.']],
    [['; touch pwned']],
    [['-rn', '`touch pwned`', '.']],
    [['x\ntouch pwned']],
    [["'; touch pwned; '"]],
    [['&&', 'touch', 'pwned']],
    [['{arguments}']],
    [['-n', 'TODO', 'src/a.ts', '>', 'pwned']],
  ])('the arguments of Grep never reach a shell: %j', async (args) => {
    await callTool(tool('Grep'), { arguments: args }, contextFor(workspace()))
    expect((await readdir(files)).toSorted()).toEqual(['link', 'src', 'up'])
  })

  it.each([
    ['Glob', ['-delete'], 'arguments[0] "-delete" is refused: this tool does not allow -delete'],
    [
      'Glob',
      ['.', '-exec', 'touch', 'pwned', ';'],
      'arguments[1] "-exec" is refused: this tool does not allow -exec*',
    ],
    ['Glob', ['.', '-not', '-fstype', '-name', '-exec', 'id', ';'], 'arguments[4] "-exec" is refused'],
    ['Glob', ['.', '-newer', '-name', '-delete'], 'arguments[3] "-delete" is refused'],
    [
      'Grep',
      ['-e', 'x', '--binary', '/etc/os-release'],
      'arguments[3] "/etc/os-release" is refused: "/etc/os-release" is outside the workspace',
    ],
    [
      'Grep',
      ['-n', '--binary', '-fpats', '--', 'x'],
      'arguments[2] "-fpats" is refused: this tool does not allow -f',
    ],
    ['Grep', ['--binary', '-R', '-e', 'foo'], 'arguments[1] "-R" is refused'],
    ['LS', ['--time-style', '-I', '/etc'], 'arguments[2] "/etc" is refused: "/etc" is outside the workspace'],
    ['LS', ['--block', '-I', '/etc'], 'arguments[2] "/etc" is refused: "/etc" is outside the workspace'],
    ['Glob', ['.', '-execdir', 'id', ';'], 'arguments[1] "-execdir" is refused'],
    ['Glob', ['.', '-okdir', 'id', ';'], 'arguments[1] "-okdir" is refused'],
    ['Glob', ['.', '-fprintf', 'pwned', 'x'], 'arguments[1] "-fprintf" is refused'],
    ['Glob', ['.', '-fls', 'pwned'], 'arguments[1] "-fls" is refused'],
    ['Glob', ['-files0-from', 'src/a.ts'], 'arguments[0] "-files0-from" is refused'],
    ['Glob', ['-L', '.'], 'arguments[0] "-L" is refused'],
    ['Glob', ['../..'], 'arguments[0] "../.." is refused: "../.." is outside the workspace'],
    ['Glob', ['src/../../..'], 'arguments[0] "src/../../.." is refused'],
    ['Glob', ['/etc'], 'arguments[0] "/etc" is refused: "/etc" is outside the workspace'],
    ['Glob', ['up'], 'arguments[0] "up" is refused'],
    ['Glob', ['up/secret.txt'], 'arguments[0] "up/secret.txt" is refused'],
    ['Glob', ['src/../up/'], 'arguments[0] "src/../up/" is refused'],
    ['Glob', ['.', '-newer', 'link'], 'arguments[2] "link" is refused'],
    ['Grep', ['-f', 'link', 'src/a.ts'], 'arguments[0] "-f" is refused'],
    ['Grep', ['-f/etc/shadow', 'x'], 'arguments[0] "-f/etc/shadow" is refused'],
    ['Grep', ['-rnf/etc/shadow', 'x'], 'arguments[0] "-rnf/etc/shadow" is refused'],
    ['Grep', ['--file=/etc/shadow', 'x'], 'arguments[0] "--file=/etc/shadow" is refused'],
    ['Grep', ['--file', 'src/a.ts'], 'arguments[0] "--file" is refused'],
    ['Grep', ['--exclude-from=src/a.ts', 'x'], 'arguments[0] "--exclude-from=src/a.ts" is refused'],
    ['Grep', ['--exclude-fr=src/a.ts', 'x'], 'arguments[0] "--exclude-fr=src/a.ts" is refused'],
    ['Grep', ['--include-from=/etc/shadow', 'x'], 'arguments[0] "--include-from=/etc/shadow" is refused'],
    ['Grep', ['-R', 'TODO', '.'], 'arguments[0] "-R" is refused'],
    ['Grep', ['-nR', 'TODO', '.'], 'arguments[0] "-nR" is refused'],
    ['Grep', ['--dereference-recursive', 'TODO', '.'], 'arguments[0] "--dereference-recursive" is refused'],
    ['Grep', ['--devices=read', 'x'], 'arguments[0] "--devices=read" is refused'],
    ['Grep', ['x', '/etc/passwd'], 'arguments[1] "/etc/passwd" is refused'],
    ['Grep', ['TODO', 'link'], 'arguments[1] "link" is refused: "link" is outside the workspace'],
    ['Grep', ['-e', 'x', '/etc/passwd'], 'arguments[2] "/etc/passwd" is refused'],
    ['Grep', ['/etc/passwd', '-e', 'x'], 'arguments[0] "/etc/passwd" is refused'],
    ['Grep', ['--reg=x', '/etc/passwd'], 'arguments[1] "/etc/passwd" is refused'],
    ['Grep', ['-A', '1', 'x', '/etc/passwd'], 'arguments[3] "/etc/passwd" is refused'],
    ['Grep', ['x', '--', '/etc/passwd'], 'arguments[2] "/etc/passwd" is refused'],
    ['Grep', ['-foo', '.'], 'arguments[0] "-foo" is refused: this tool does not allow -f'],
    ['Grep', ['-rnfe', 'x'], 'arguments[0] "-rnfe" is refused'],
    ['Glob', ['-name', 'x', '-delete'], 'arguments[2] "-delete" is refused'],
    ['Glob', ['.', '--', '-delete'], 'arguments[2] "-delete" is refused'],
    ['LS', ['-la..'], 'arguments[0] "-la.." is refused'],
    ['LS', ['-Iup', '-wup/secret.txt', '-lup/'], 'arguments[2] "-lup/" is refused'],
    ['LS', ['-la', 'up/'], 'arguments[1] "up/" is refused'],
    ['LS', ['-laL', '.'], 'arguments[0] "-laL" is refused'],
    ['LS', ['--dereference', 'link'], 'arguments[0] "--dereference" is refused'],
    ['LS', ['/'], 'arguments[0] "/" is refused'],
  ])('a wrapped tool is refused before it runs: %s %j', async (id, args, message) => {
    const result = await callTool(tool(id), { arguments: args }, contextFor(workspace()))
    expect(result.isError).toBe(true)
    expect(result.content).toContain(`ERROR: ${id}: ${message}`)
    expect((await readdir(files)).toSorted()).toEqual(['link', 'src', 'up'])
    expect(await readFile(join(files, 'src', 'a.ts'), 'utf8')).toBe('one\nTODO two\n')
  })

  it.each([
    [{}, 'arguments is required (an array of strings)'],
    [{ arguments: ['-rn', 5] }, 'arguments[1] must be a string, got 5'],
    [{ arguments: ['a\0b'] }, 'arguments[0] holds a NUL byte, which no argument can'],
    [{ arguments: Array.from({ length: 1001 }, () => 'x') }, '1001 arguments are too many; at most 1000 fit'],
    [{ arguments: ['x'.repeat(131_072)] }, 'the arguments have 131073 bytes; at most 131072 fit'],
    [{ arguments: ['x'], pattern: 'y' }, `unknown parameter "pattern"; it takes 'arguments'`],
    [['-rn'], 'arguments must be an object, got ["-rn"]'],
  ])('Grep refuses the arguments %j with a hint', async (args, message) => {
    const result = await callTool(tool('Grep'), args, contextFor(workspace()))
    expect(result).toEqual({ content: `ERROR: Grep: ${message}`, isError: true })
  })

  it('a wrapped tool with execute access asks for permission with the full command', async () => {
    await put('t.tool', wrapper('Touch', '@command touch {arguments}'))
    await using wrapped = await load()
    const denied = contextFor(workspace(), 'deny')
    const result = await callTool(wrapped.tools()[0]!, { arguments: ['a b', "it's"] }, denied)
    expect(result.content).toBe(`ERROR: Permission denied: run 'touch 'a b' 'it'\\''s''?`)
    expect(denied.asked).toMatchObject([
      { tool: 'Touch', access: 'execute', detail: `touch 'a b' 'it'\\''s'` },
    ])
    expect(await readdir(files)).not.toContain('a b')
  })

  it('a wrapped tool with execute access leaves path checks to the sandbox but applies @deny', async () => {
    await put('c.tool', wrapper('Cat', '@command cat {arguments}\n@deny -n'))
    await using wrapped = await load()
    const cat = wrapped.tools()[0]!
    const { content } = await cat.run({ arguments: ['/etc/passwd'] }, contextFor(workspace()))
    expect(content).toContain('cat: /etc/passwd: No such file or directory')
    const refused = await cat.run({ arguments: ['-n', 'x'] }, contextFor(workspace()))
    expect(refused.content).toContain('this tool does not allow -n')
  })

  it('a wrapped tool with read access cannot write', async () => {
    await put('t.tool', wrapper('Touch', '@command touch {arguments}\n@access read\n@deny none'))
    await using wrapped = await load()
    const result = await callTool(wrapped.tools()[0]!, { arguments: ['pwned'] }, contextFor(workspace()))
    expect(result.content).toContain('Read-only file system')
    expect(await readdir(files)).not.toContain('pwned')
  })

  it('an embedding program reads .tool files once, also those built on its own tools', async () => {
    await put('echo.tool', wrapper('Echo', '@command printf %s {arguments}'))
    await put('own.tool', alias('Own', 'mine'))
    await put('wrong.tool', alias('Wrong', 'min'))
    const mine = defineTool({
      id: 'mine',
      description: 'Is mine.',
      access: 'read',
      parameters: {},
      run: () => 'mine',
    })
    const { tools, problems } = await readToolFiles([dir], [mine, ...WORKSPACE_TOOLS])
    expect(tools.map(({ id }) => id)).toEqual(['Echo', 'Own'])
    expect(problems).toMatchObject([{ line: 1, message: 'there is no tool called min; did you mean mine?' }])
    const results = [{ arguments: ['a', 'b'] }, {}].map((args, at) =>
      callTool(tools[at]!, args, contextFor(workspace())),
    )
    expect((await Promise.all(results)).map(({ content }) => content)).toEqual(['ab', 'mine'])
  })

  it('a wrapped tool fills in every type of parameter and omits missing ones', async () => {
    await put(
      'p.tool',
      wrapper('Show', '@command printf [%s] {text} {arguments} {count} {flag} "{fixed}" end')
        .replace(
          '@command',
          '@param text {string} t\n@param count {integer} c\n@param flag {boolean} f\n@command',
        )
        .replace(' "{fixed}"', " 'two words'"),
    )
    await using wrapped = await load()
    const show = async (args: object) =>
      (await callTool(wrapped.tools()[0]!, args, contextFor(workspace()))).content
    expect(await show({ text: 'a  b', arguments: ['x', ''], count: 3, flag: false })).toBe(
      '[a  b][x][][3][false][two words][end]',
    )
    expect(await show({ arguments: [] })).toBe('[two words][end]')
  })

  it('a wrapped tool passes exactly the strings of the call to its program', async () => {
    const script = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))'
    await put('argv.tool', wrapper('Argv', `@command ${process.execPath} -e '${script}' -- {arguments}`))
    await using wrapped = await load()
    // The interpreter is not always where the sandbox can see it, so this one runs without.
    await using bare = createWorkspaces({
      root: await mkdtemp(join(home, 'bare-')),
      searchEntry: paths.fileSearch,
      mode: 'none',
      log: NO_LOG,
    })
    const context = contextFor(bare.of('lobby'))
    const text = fc
      .string({ unit: 'grapheme', maxLength: 30 })
      .filter((each) => !each.includes('\0') && !each.includes('/') && !each.includes('..'))
    const tricky = fc.constantFrom(
      ...`$(id) * " ' {arguments} -n -- \\ %s ~ ! \u{1f600} ;`.split(' '),
      ...['', 'a b', '\n', '\r\n', '\t', '; rm -rf .'],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(text, tricky), { maxLength: 8 }), async (args) => {
        const result = await callTool(wrapped.tools()[0]!, { arguments: args }, context)
        expect(JSON.parse(result.content)).toEqual(args)
      }),
      { numRuns: runs(60) },
    )
  })
})
