import { fileURLToPath } from 'node:url'

const ROOT = new URL('../..', import.meta.url)
const at = (path: string): string => fileURLToPath(new URL(path, ROOT))

/** Where the program's own files are, whether it runs from src/ (tests) or from dist/. */
export const paths = {
  root: at('.'),
  lua: at('lua'),
  migrations: at('migrations'),
  wrappedTools: at('wrapped-tools'),
  /** Always the built one: it runs in a plain node, without a loader. */
  wrapProcess: at('dist/adapters/lua/process/main.js'),
  /** Built, for the same reason; reads one page. */
  pageReader: at('dist/adapters/web/reader/main.js'),
  /** Built, for the same reason; makes one search in files. */
  fileSearch: at('dist/adapters/sandbox/search/main.js'),
  /** Built, for the same reason; has the database open in a thread. */
  storageThread: at('dist/adapters/storage/sqlite/threads/main.js'),
  packageJson: at('package.json'),
} as const
