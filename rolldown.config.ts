import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'rolldown'

/**
 * Packages that a start loads, joined with their dependencies: they are 600 files. The last has what older
 * Nodes lack.
 */
const JOINED = withDependencies([
  ...['kysely', 'zod', 'fast-glob', 'diff', 'smol-toml', 'ulid', 'minisearch', 'string-width'],
  ...['execa', '@noble/curves', '@noble/post-quantum', '@oxc-project/runtime'],
])

function directoryOf(name: string): string {
  return join(import.meta.dirname, 'node_modules', name)
}

function withDependencies(names: readonly string[]): ReadonlySet<string> {
  const all = new Set(names)
  for (const name of all) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(directoryOf(name), 'package.json'), 'utf8'))
    for (const dependency of Object.keys(dependencies)) all.add(dependency)
  }
  return all
}

/** A copy of a package goes with its license. */
const licenses: Plugin = {
  name: 'licenses',
  generateBundle() {
    for (const name of JOINED) {
      const file = readdirSync(directoryOf(name)).find((one) => /^licen[cs]e/i.test(one)) ?? 'LICENSE'
      const source = readFileSync(join(directoryOf(name), file))
      this.emitFile({ type: 'asset', fileName: `licenses/${name.replace('/', '-')}.txt`, source })
    }
  },
}

/** `npx .` runs dist/main.js by the link that it once made. */
const executable: Plugin = {
  name: 'executable',
  writeBundle: () => chmodSync(join(import.meta.dirname, 'dist/main.js'), 0o755),
}

const isPackage = (id: string): boolean => /^[@a-z]/i.test(id)
/** `id` may be of a file in the package. */
const isJoined = (id: string): boolean => JOINED.has(/^(@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? '')

/**
 * The second line of dist/main.js, which begins with `#!/usr/bin/env sh`: publint and npm on Windows know no
 * other path of a shell. It starts Node with V8's young generation at 8 MB instead of 32, and a full collection once
 * the heap is half as large again (docs/internals/performance.md); Node finds a text and a comment. `env -S` could
 * pass the flags, too, but Alpine's has no -S.
 */
const START = `':' //; MALLOC_ARENA_MAX=2 exec node --max-semi-space-size=4 --heap-growing-percent=50 "$0" "$@"`

/** Joins src/ into a file for each program and what they share: five hundred small files take Node half a second to load. */
const programs: BuildOptions = {
  input: {
    main: 'src/main.ts',
    index: 'src/index.ts',
    wrap: 'src/wrap.ts',
    'wrap-process': 'src/wrap/lua/process/main.ts',
    'page-reader': 'src/web/reader/main.ts',
    'file-search': 'src/sandbox/search/main.ts',
    'storage-thread': 'src/storage/sqlite/thread-main.ts',
  },
  cwd: import.meta.dirname,
  platform: 'node',
  // As in tsconfig.json.
  transform: { target: 'es2023' },
  external: (id) => isPackage(id) && !isJoined(id),
  // A door names all of its part: who imports one name from it loads only the file of that.
  treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
  plugins: [licenses, executable],
  output: {
    dir: 'dist',
    postBanner: ({ name, isEntry }) => (isEntry && name === 'main' ? START : ''),
    chunkFileNames: 'parts/[name].js',
    // V8 keeps the text of a file in memory, and takes two bytes for each letter if one is not Latin.
    charset: 'ascii',
    comments: false,
  },
}

export default programs
