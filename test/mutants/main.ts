/**
 * `npm run mutants [-- WORDS]`: breaks the program in small ways, one after the other, and runs the tests that must
 * notice. Exits 1 if one of them does not. WORDS: only the mutants whose sentence or file has them.
 *
 * Each is made in a copy of what git has, so that the work tree stays as it is. Two copies work at a time; the whole list
 * takes a quarter of an hour on two cores.
 */
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { type Mutant, MUTANTS } from './mutants.ts'

const AT_ONCE = 2
const root = new URL('../..', import.meta.url).pathname
const words = process.argv.slice(2).join(' ')
const wanted = MUTANTS.filter(({ breaks, file }) => `${breaks} ${file}`.includes(words))

/** A copy of the repository, in which one mutant after another lives. */
async function copyRepository(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-mutants-'))
  await execa('git', ['checkout-index', '--all', `--prefix=${dir}/`], { cwd: root })
  await symlink(join(root, 'node_modules'), join(dir, 'node_modules'))
  return dir
}

/** The first test of these files that fails; undefined if all pass. Rejects if there are none. */
async function failing(dir: string, tests: readonly string[]): Promise<string | undefined> {
  const command = [
    'vitest',
    'run',
    '--config',
    'test/vitest.config.ts',
    '--project',
    'all',
    '--bail',
    '1',
    ...tests,
  ]
  const { exitCode, all } = await execa('npx', command, { cwd: dir, reject: false, all: true })
  if (exitCode === 0) return undefined
  const [failed] = /^failed: .*/m.exec(all) ?? []
  if (failed !== undefined) return failed
  throw new Error(`no test ran: ${tests.join(' ')}\n${all.slice(-2_000)}`)
}

async function isKilled(dir: string, { file, from, to, tests }: Mutant): Promise<boolean> {
  const path = join(dir, file)
  const source = await readFile(path, 'utf8')
  if (source.split(from).length !== 2) throw new Error(`${file} does not have exactly once: ${from}`)
  await writeFile(
    path,
    source.replace(from, () => to),
  )
  try {
    return (await failing(dir, tests)) !== undefined
  } finally {
    await writeFile(path, source)
  }
}

async function work(dir: string, left: Mutant[], survived: Mutant[]): Promise<void> {
  for (let mutant = left.shift(); mutant; mutant = left.shift()) {
    const since = performance.now()
    const killed = await isKilled(dir, mutant)
    if (!killed) survived.push(mutant)
    const seconds = Math.round((performance.now() - since) / 1_000)
    console.log(`${killed ? 'killed  ' : 'SURVIVED'} ${seconds} s  ${mutant.breaks} (${mutant.file})`)
  }
}

const dirs = await Promise.all(Array.from({ length: AT_ONCE }, copyRepository))
try {
  const tests = [...new Set(wanted.flatMap((mutant) => mutant.tests))]
  const failed = await failing(dirs[0]!, tests)
  if (failed !== undefined) throw new Error(`before anything is broken ${failed}`)
  const left = [...wanted]
  const survived: Mutant[] = []
  await Promise.all(dirs.map((dir) => work(dir, left, survived)))
  console.log(`${wanted.length - survived.length} of ${wanted.length} mutants killed`)
  if (survived.length > 0) process.exitCode = 1
} finally {
  await Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true })))
}
