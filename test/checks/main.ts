/**
 * What `npm run check` looks at besides style, layers and types: how large the code is and how it is worded; that
 * the tests use every key of the config; that docs/commands.md and docs/rights.md are what the code gives; that the
 * rights of each command are tested; and that README.md names all backends. One program for all, because each
 * would load the same files.
 */
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { BACKENDS } from '../../src/models/providers.ts'
import { withoutRights } from '../contract/rights/table.ts'
import { createCommandWorld } from '../support/commands/command-world.ts'
import { commandsPage } from '../support/commands/commands-page.ts'
import { runExamples } from '../support/commands/examples.ts'
import { rightsPage } from '../support/commands/rights-page.ts'
import { everyKey, leftOutOf } from '../support/every-key.ts'
import { importCircles } from './circles.ts'
import { largeParts, wideDoors } from './parts.ts'
import { badSubjects, bannedPhrases } from './phrases.ts'
import { longFiles, longFunctions, wideComments } from './size.ts'
import { readSources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Commits after this one have plain subjects. */
const FIRST_COMMIT = '0c112a00'

const sources = await readSources(root)
/** They only fall: a commit that raises one says why. */
const limits = z
  .strictObject({ bannedPhrases: z.int(), wideComments: z.int() })
  .parse(JSON.parse(await readFile(join(root, 'test/checks/limits.json'), 'utf8')))

const problems = [
  ...longFiles(sources),
  ...longFunctions(sources),
  ...importCircles(sources),
  ...largeParts(sources),
  ...wideDoors(sources),
  ...counted('banned phrases', bannedPhrases(sources), limits.bannedPhrases),
  ...counted('wide comments', wideComments(sources), limits.wideComments),
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

/**
 * What is over its limit, with the places in files that are new or changed last, since one of these is the
 * one too many.
 */
function counted(name: string, found: readonly string[], limit: number): readonly string[] {
  if (found.length < limit - 50)
    return [`${name}: only ${found.length}; lower the limit of ${limit} in test/checks/limits.json`]
  if (found.length <= limit) return []
  const changed = [
    ...git('diff', '--name-only', 'HEAD~1'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
  return [
    `${name}: ${found.length}, at most ${limit}`,
    ...found.filter((place) => changed.includes(place.slice(0, place.indexOf(':')))),
  ]
}

/** One sentence for each key that the test of reading leaves out. */
function configProblems(): readonly string[] {
  return leftOutOf(everyKey('http://localhost', '/')).map(
    (key) => `test/support/every-key.ts leaves out ${key}: a test uses every key there`,
  )
}

async function commandProblems(): Promise<readonly string[]> {
  await using world = await createCommandWorld()
  const pages = {
    'docs/commands.md': await commandsPage(world.groups, await runExamples(world.commands)),
    'docs/rights.md': await rightsPage(),
  }
  const texts = await Promise.all(Object.keys(pages).map((page) => readFile(join(root, page), 'utf8')))
  return [
    ...Object.entries(pages)
      .filter(([, text], at) => text !== texts[at])
      .map(([page]) => `${page} is old: npm run docs writes it anew`),
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
