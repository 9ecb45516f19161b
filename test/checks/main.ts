/**
 * What `npm run check` looks at besides style and types: that every key of the config is read and tried, that every folder says what
 * it is for, that docs/commands.md is what the commands give and the rights of each are tested, that the pages name all limits and backends, that no two types
 * have one name, that all that docs/architecture.md names is there, and that no figure of docs/metrics.md has grown. One program for all: each would load the same files. This
 * folder must not know what a key or a command does.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import glob from 'fast-glob'
import { z } from 'zod'
import { BACKENDS } from '../../src/adapters/models/index.ts'
import { fileSchema } from '../../src/config/schema.ts'
import { ROADS } from '../metrics/roads.ts'
import { run } from '../metrics/run.ts'
import { readSources } from '../metrics/source-files.ts'
import { commandsPage } from '../support/commands/commands-page.ts'
import { withoutRights } from '../contract/rights/table.ts'
import { createCommandWorld } from '../support/commands/command-world.ts'
import { everyKey, leftOutOf } from '../support/every-key.ts'
import { unsaidInPages } from './config-in-pages.ts'
import { silentFolders } from './folder-comments.ts'
import { namedInVain } from './named-in-page.ts'
import { sharedTypeNames } from './type-names.ts'
import { keysOf, unreadKeys, type Schema } from './config-keys.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = await readSources(root)

/** One sentence for each key without a reader, or that the test of reading leaves out. */
function configProblems(): readonly string[] {
  const keys = keysOf(z.toJSONSchema(fileSchema, { io: 'input' }) as Schema)
  return [
    ...unreadKeys(keys, sources).map(
      (key) =>
        `src/config/schema.ts: nothing reads the key ${key}: read it where it is to work, or take it out of the schema`,
    ),
    ...leftOutOf(everyKey('http://localhost', '/')).map(
      (key) => `test/support/every-key.ts leaves out ${key}: a test uses every key there`,
    ),
  ]
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

const folderProblems = (): readonly string[] =>
  silentFolders(sources).map(
    (folder) =>
      `${folder}: say in a comment at the top of its first file what the folder is for and must not know`,
  )

async function unsaid(): Promise<readonly string[]> {
  const text = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
  const pages = { security: await text('docs/security.md'), readme: await text('README.md') }
  return unsaidInPages(fileSchema.parse({}).limits, BACKENDS, pages)
}

async function mapProblems(): Promise<readonly string[]> {
  const page = 'docs/architecture.md'
  const paths = await glob('{src,lua,test,docs,migrations,wrapped-tools}/**/*', { cwd: root })
  return namedInVain(page, await readFile(join(root, page), 'utf8'), { paths, sources })
}

const problems = [
  ...configProblems(),
  ...folderProblems(),
  ...(await commandProblems()),
  ...(await unsaid()),
  ...sharedTypeNames(sources),
  ...(await mapProblems()),
]
const figures = await run('check', root, ROADS)
for (const problem of problems) console.error(problem)
process.stdout.write(figures.text)
if (problems.length > 0 || figures.failed) process.exitCode = 1
