import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The package asks for itself by name, so that it does not matter which file this ends up in. */
const ROOT = dirname(createRequire(import.meta.url).resolve('sshawl/package.json'))
const at = (path: string): string => join(ROOT, path)

/** Where the program's own files are, whether it runs from src/ (tests) or from dist/ (rolldown.config.ts). */
export const paths = {
  root: at('.'),
  lua: at('lua'),
  migrations: at('migrations'),
  wrappedTools: at('wrapped-tools'),
  /** Always the built one: it runs in a plain node, without a loader. */
  wrapProcess: at('dist/wrap-process.js'),
  /** Built, for the same reason; reads one page. */
  pageReader: at('dist/page-reader.js'),
  /** Built, for the same reason; makes one search in files. */
  fileSearch: at('dist/file-search.js'),
  /** Built, for the same reason; has the database open in a thread. */
  storageThread: at('dist/storage-thread.js'),
  packageJson: at('package.json'),
} as const
