import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'rolldown'

/** Packages that are joined with our files: zod is a hundred files and kysely 280; the third has what older Nodes lack. */
const JOINED = ['kysely', 'zod', '@oxc-project/runtime']

const directoryOf = (name: string): string => join(import.meta.dirname, 'node_modules', name)

/** A copy of a package goes with its license. */
const licenses: Plugin = {
  name: 'licenses',
  generateBundle() {
    for (const name of JOINED) {
      const source = readFileSync(join(directoryOf(name), 'LICENSE'))
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
const isJoined = (id: string): boolean => JOINED.some((name) => id === name || id.startsWith(`${name}/`))

/**
 * The second line of dist/main.js, which begins with `#!/bin/sh`. The shell starts Node with V8's young generation
 * at 8 MB instead of 32 (docs/internals/performance.md), and Node finds a text and a comment. `env -S` could pass the flag,
 * too, but Alpine's has no -S.
 */
const START = `':' //; exec node --max-semi-space-size=4 "$0" "$@"`

/** Joins src/ into a file for each program and what they share: five hundred small files take Node half a second to load. */
const programs: BuildOptions = {
  input: {
    main: 'src/main.ts',
    index: 'src/index.ts',
    'wrap-process': 'src/adapters/lua/process/main.ts',
    'page-reader': 'src/adapters/web/reader/main.ts',
    'file-search': 'src/adapters/sandbox/search/main.ts',
    'storage-thread': 'src/adapters/storage/sqlite/thread-main.ts',
  },
  cwd: import.meta.dirname,
  platform: 'node',
  // As in tsconfig.json.
  transform: { target: 'es2023' },
  external: (id) => isPackage(id) && !isJoined(id),
  plugins: [licenses, executable],
  output: {
    dir: 'dist',
    postBanner: ({ name, isEntry }) => (isEntry && name === 'main' ? START : ''),
    chunkFileNames: 'parts/[name].js',
  },
}

export default programs
