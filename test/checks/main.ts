/**
 * What `npm run check` looks at besides style, layers and types: how large the code is and how it is worded, that the
 * tests use every key of the config, that docs/commands.md is what the commands give, that the rights of each are tested, and that
 * README.md names all backends. One program for all, because each would load the same files.
 */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BACKENDS } from '../../src/adapters/models/index.ts'
import { withoutRights } from '../contract/rights/table.ts'
import { createCommandWorld } from '../support/commands/command-world.ts'
import { commandsPage } from '../support/commands/commands-page.ts'
import { everyKey, leftOutOf } from '../support/every-key.ts'
import { against, raisedLimits, readLimits, type Version } from './limits.ts'
import { badSubjects, bannedPhrases } from './phrases.ts'
import { charactersOfCode, longFiles, longFunctions, wideComments } from './size.ts'
import { readSources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const LIMITS = 'test/checks/limits.json'
/** Commits after this one have plain subjects. */
const FIRST_COMMIT = '0c112a00'

const sources = await readSources(root)
const json = await readFile(join(root, LIMITS), 'utf8')
const limits = readLimits(json)

const problems = [
  ...longFiles(sources),
  ...longFunctions(sources, limits.longFunctions),
  ...against('characters of code in src', charactersOfCode(sources), limits.charactersOfCode, 10_000),
  ...counted('banned phrases', bannedPhrases(sources), limits.bannedPhrases),
  ...counted('wide comments', wideComments(sources), limits.wideComments),
  ...raisedLimits(versions()),
  ...badSubjects(git('log', '--format=%s', `${FIRST_COMMIT}..`)),
  ...configProblems(),
  ...(await commandProblems()),
  ...(await pageProblems()),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1

/** The lines that git prints; none where there is no git, or not all commits. */
function git(...args: readonly string[]): readonly string[] {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
      .split('\n')
      .filter((line) => line !== '')
  } catch {
    return []
  }
}

/** All versions of the limits, newest first; what is not committed is one, too. */
function versions(): readonly Version[] {
  const committed = git('log', '--format=%H', '--', LIMITS).map((hash) => ({
    json: git('show', `${hash}:${LIMITS}`).join('\n'),
    message: git('show', '-s', '--format=%B', hash).join('\n'),
  }))
  return [
    ...(git('status', '--porcelain', '--', LIMITS).length > 0 ? [{ json, message: undefined }] : []),
    ...committed,
  ]
}

/** Too many of what is counted, and those in files that are new or changed last, because one of these is the one too many. */
function counted(name: string, found: readonly string[], limit: number): readonly string[] {
  const problem = against(name, found.length, limit, 50)
  if (found.length <= limit) return problem
  const changed = [
    ...git('diff', '--name-only', 'HEAD~1'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
  return [...problem, ...found.filter((place) => changed.includes(place.slice(0, place.indexOf(':'))))]
}

/** One sentence for each key that the test of reading leaves out. */
function configProblems(): readonly string[] {
  return leftOutOf(everyKey('http://localhost', '/')).map(
    (key) => `test/support/every-key.ts leaves out ${key}: a test uses every key there`,
  )
}

async function commandProblems(): Promise<readonly string[]> {
  await using world = await createCommandWorld()
  const now = await readFile(join(root, 'docs/commands.md'), 'utf8')
  const isOld = now !== (await commandsPage(world.groups))
  return [
    ...(isOld ? ['docs/commands.md is not what the commands give: npm run docs writes it anew'] : []),
    ...withoutRights(world.commands.map(({ name }) => name)).map(
      (name) => `test/contract/rights/table.ts has no row for ${name}: say who may do it where`,
    ),
  ]
}

async function pageProblems(): Promise<readonly string[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  return BACKENDS.filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(readme)).map(
    (name) => `README.md does not name the backend ${name}`,
  )
}
