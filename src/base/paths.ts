import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Resolved by the package's name, because this file's place differs in the build. */
const ROOT = dirname(createRequire(import.meta.url).resolve('sshawl/package.json'))
const at = (path: string): string => join(ROOT, path)

/** The package's directories, and built files that Node runs without a loader. */
export const paths = {
  root: at('.'),
  lua: at('lua'),
  migrations: at('migrations'),
  wrappedTools: at('wrapped-tools'),
  wrapProcess: at('dist/wrap-process.js'),
  pageReader: at('dist/page-reader.js'),
  fileSearch: at('dist/file-search.js'),
  storageThread: at('dist/storage-thread.js'),
  packageJson: at('package.json'),
} as const

export const version = (): string =>
  (JSON.parse(readFileSync(paths.packageJson, 'utf8')) as { version: string }).version
