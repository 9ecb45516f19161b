import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run, TABLE } from '../../metrics/run.ts'
import { ROAD, TREE } from './tree.ts'

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sshawl-metrics-'))
  await mkdir(join(root, dirname(TABLE)))
  for (const [path, text] of Object.entries(TREE)) await write(path, text)
  await run('write', root, [ROAD])
})

afterEach(async () => rm(root, { recursive: true }))

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

const check = () => run('check', root, [ROAD])

test('what was written passes the check and is what is printed', async () => {
  expect(await check()).toEqual({ text: '', failed: false })
  const { text } = await run('print', root, [ROAD])
  expect(text).toBe(await readFile(join(root, TABLE), 'utf8'))
  expect(text).toMatch(/^\| files on the road line → kept +\| +5 \| +\| +3 \| +0 \|$/m)
})

test('one more `!` fails the check, which names its folder and file and the way out', async () => {
  await write(
    'src/store/write.ts',
    `${TREE['src/store/write.ts']}\nexport const last = (): string => kept.at(-1)!\n`,
  )
  const { text, failed } = await check()
  expect(failed).toBe(true)
  expect(text).toContain('`!` (not null): 1 in src, the table has 0')
  expect(text).toContain('src/store: 1 after 0, most in src/store/write.ts 1')
  expect(text).toContain('npm run metrics -- --write')
})

test('lines may grow a little, and no more', async () => {
  const grown = (lines: number) => write('src/parse.ts', TREE['src/parse.ts'] + '// A line.\n'.repeat(lines))
  const name = 'lines: '
  await grown(100)
  expect((await check()).text).not.toContain(name)
  await grown(101)
  expect((await check()).text).toContain(name)
})

test('a longer road fails the check, which names the file that is new on it', async () => {
  await write('src/store/store.ts', TREE['src/store/store.ts']?.replace('./write.ts', './queue.ts') ?? '')
  await write(
    'src/store/queue.ts',
    "import { write as keep } from './write.ts'\n\nexport const write = (line: string): void => keep(line)\n",
  )
  expect(await check()).toMatchObject({
    failed: true,
    text: expect.stringContaining(
      'files on the road line → kept: 6 in src, the table has 5\n  new on it: src/store/queue.ts',
    ),
  })
})

test('a cycle fails the check, in test too', async () => {
  await write('test/a.ts', "import type { B } from './b.ts'\n\nexport type A = B\n")
  await write('test/b.ts', "import type { A } from './a.ts'\n\nexport type B = A\n")
  expect((await check()).text).toContain(
    'cycles of imports, types included: 1 in test, the table has 0\n  test/a.ts + test/b.ts',
  )
})

test('a road that cannot be followed fails every task and leaves the table as it is', async () => {
  const table = await readFile(join(root, TABLE), 'utf8')
  await rm(join(root, 'src/parse.ts'))
  for (const task of ['check', 'write', 'print'] as const) {
    const { text, failed } = await run(task, root, [ROAD])
    expect(failed).toBe(true)
    expect(text).toContain('line → kept: src/parse.ts:parse does not exist (any more)')
  }
  expect(await readFile(join(root, TABLE), 'utf8')).toBe(table)
})

test('what got better is told, and fails nothing', async () => {
  await write('src/store/store.ts', `${TREE['src/store/store.ts']}\nexport const no = 1 as number\n`)
  await run('write', root, [ROAD])
  await write('src/store/store.ts', TREE['src/store/store.ts'] ?? '')
  expect(await check()).toMatchObject({
    failed: false,
    text: expect.stringMatching(/Better than docs\/metrics\.md: `as`, without `as const`\./),
  })
})

test('a table that is not there fails the check', async () => {
  await rm(join(root, TABLE))
  expect(await check()).toMatchObject({ failed: true })
})
