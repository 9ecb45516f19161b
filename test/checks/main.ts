/**
 * What `npm run check` looks at besides style, types and figures: that every key of the config is read, that every
 * folder says what it is for, that docs/commands.md is what the commands give, and that the pages name all limits and
 * backends, and that no two types have one name. This folder must not know what a key or a command does.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { BACKENDS } from '../../src/adapters/models/index.ts'
import { fileSchema } from '../../src/config/schema.ts'
import { readSources } from '../metrics/source-files.ts'
import { commandsPage } from '../support/commands/commands-page.ts'
import { createCommandWorld } from '../support/commands/command-world.ts'
import { unsaidInPages } from './config-in-pages.ts'
import { silentFolders } from './folder-comments.ts'
import { sharedTypeNames } from './type-names.ts'
import { keysOf, unreadKeys, type Schema } from './config-keys.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** One sentence for each key without a reader. */
async function configProblems(): Promise<readonly string[]> {
  const keys = keysOf(z.toJSONSchema(fileSchema, { io: 'input' }) as Schema)
  return unreadKeys(keys, await readSources(root)).map(
    (key) =>
      `src/config/schema.ts: nothing reads the key ${key}: read it where it is to work, or take it out of the schema`,
  )
}

async function pageProblems(): Promise<readonly string[]> {
  await using world = await createCommandWorld()
  const now = await readFile(join(root, 'docs/commands.md'), 'utf8')
  if (now === (await commandsPage(world.groups))) return []
  return ['docs/commands.md is not what the commands give: npm run docs writes it anew']
}

const folderProblems = async (): Promise<readonly string[]> =>
  silentFolders(await readSources(root)).map(
    (folder) =>
      `${folder}: say in a comment at the top of its first file what the folder is for and must not know`,
  )

async function unsaid(): Promise<readonly string[]> {
  const text = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
  const pages = { security: await text('docs/security.md'), readme: await text('README.md') }
  return unsaidInPages(fileSchema.parse({}).limits, BACKENDS, pages)
}

const problems = [
  ...(await configProblems()),
  ...(await folderProblems()),
  ...(await pageProblems()),
  ...(await unsaid()),
  ...sharedTypeNames(await readSources(root)),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
