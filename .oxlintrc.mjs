/**
 * Style rules, and who may import whom: the table of docs/architecture.md. A folder at the top of `src` is a part.
 * A plain module and not JSON, so that the table is written once and its patterns are made from it.
 */
import { readdirSync } from 'node:fs'
import { sep } from 'node:path'

/** Parts that any file of another part may be imported from; of others only an `index.ts`, which is a door. */
const OPEN = ['base', 'words']

/** For each part: the parts that it may import. `server` may import all; nobody but main.ts imports it. */
const PARTS = {
  base: [],
  words: ['base'],
  tools: ['base', 'words'],
  wrap: ['base', 'words', 'tools'],
  models: ['base', 'words', 'tools', 'wrap'],
  web: ['base', 'words', 'tools', 'wrap'],
  sandbox: ['base', 'words', 'tools', 'wrap'],
  chat: ['base', 'words'],
  turns: ['base', 'words', 'chat', 'tools', 'wrap'],
  commands: ['base', 'words', 'chat', 'tools', 'wrap', 'turns'],
  terminal: ['base', 'words', 'chat'],
  ssh: ['base', 'words', 'terminal'],
  mcp: ['base', 'words', 'chat', 'tools', 'wrap'],
  cluster: ['base', 'words', 'chat'],
  storage: ['base', 'words', 'chat', 'tools', 'wrap', 'turns', 'cluster'],
  visits: ['base', 'words', 'chat', 'tools', 'wrap', 'turns', 'commands', 'terminal'],
}
PARTS.server = Object.keys(PARTS)

const NODE = ['node:*', 'node:*/**']

/** The packages of each part, and of folders and files that may use more or less than their part. */
const PACKAGES = {
  base: ['fastest-levenshtein', 'ipaddr.js', 'markdown-it', 'ulid'],
  'base/paths.ts': NODE,
  'base/text/line-diff.ts': ['diff'],
  words: [],
  tools: ['zod'],
  'tools/modules': [...NODE, 'zod'],
  'tools/wrapped': [...NODE, 'fast-glob', 'zod'],
  wrap: [],
  'wrap/lua': [...NODE, 'fast-glob', 'lua-in-js', 'luaparse', 'wasmoon'],
  'wrap/tokens': [...NODE, 'tiktoken', 'tiktoken/**'],
  'wrap/toolbox': ['minisearch'],
  models: [...NODE, '@ai-sdk/**', 'undici', 'zod'],
  web: [
    ...NODE,
    'zod',
    'p-limit',
    '@exodus/bytes/**',
    'html-encoding-sniffer',
    'whatwg-mimetype',
    '@joplin/turndown-plugin-gfm',
    '@mozilla/readability',
    'execa',
    'ipaddr.js',
    'linkedom',
    'turndown',
  ],
  sandbox: [...NODE, 'execa', 'p-limit', 're2js'],
  chat: [],
  turns: ['zod'],
  'turns/routines': ['zod', 're2js'],
  commands: [],
  'commands/pages': ['markdown-it'],
  terminal: [
    'string-width',
    'slice-ansi',
    'simple-wcswidth',
    'markdown-it',
    'highlight.js',
    'highlight.js/**',
  ],
  ssh: [...NODE, 'ssh2'],
  'ssh/ssh2': [...NODE, 'ssh2', '@noble/post-quantum/**'],
  mcp: [
    ...NODE,
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/*',
    'diff',
    'execa',
    'zod',
  ],
  cluster: [],
  'cluster/wire': [...NODE, '@nats-io/transport-node', 'pg'],
  storage: [...NODE, 'better-sqlite3', 'fast-glob', 'kysely', 'pg', 'ulid'],
  visits: NODE,
  server: [...NODE, 'json5', 'pino', 'prom-client', 'smol-toml', 'string-width', 'zod'],
}

/** How many folders lie below one another in `src`: a deeper file would escape the table, so it is looked up. */
const DEEPEST = Math.max(
  ...readdirSync(new URL('src', import.meta.url), { recursive: true }).map((path) => path.split(sep).length),
)

/** One override for each depth below `folder`: a pattern matches an import as it is written, `../` by `../`. */
function layer(folder, packages) {
  const [part] = folder.split('/')
  const isFile = folder.endsWith('.ts')
  const depth = folder.split('/').length - (isFile ? 1 : 0)
  return Array.from({ length: isFile ? 1 : DEEPEST }, (_, below) => {
    const up = (levels) => '../'.repeat(levels)
    // What lies in the part itself, seen from this depth.
    const own = Array.from({ length: depth + below - 1 }, (_unused, level) => `!${up(level + 1)}**`)
    const toTop = up(depth + below)
    const others = PARTS[part].flatMap((name) =>
      OPEN.includes(name)
        ? `!${toTop}${name}/**`
        : [`!${toTop}${name}/index.ts`, `!${toTop}${name}/**/index.ts`],
    )
    const group = [
      ...['*', '**', '../**', 'node:*', '!./*', '!./**', ...own, `${toTop}**`, ...others],
      ...packages.map((name) => `!${name}`),
    ]
    const message = `src/${folder} may not import this: see the table in docs/architecture.md and .oxlintrc.mjs`
    return {
      files: [isFile ? `src/${folder}` : `src/${folder}/${'*/'.repeat(below)}*.ts`],
      rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
    }
  })
}

/** `sshawl/wrap`, which a program loads without the other parts. */
const PROGRAMS_DOOR = {
  group: ['*', '**', ...['base', 'words', 'tools', 'wrap'].map((name) => `!./${name}/**`)],
  message: 'src/wrap.ts may import base, words, tools and wrap only',
}

/** Rules that differ from their category. */
const RULES = {
  'typescript/no-floating-promises': 'error',
  'typescript/no-misused-promises': 'error',
  'typescript/await-thenable': 'error',
  'typescript/no-explicit-any': 'error',
  'typescript/switch-exhaustiveness-check': [
    'error',
    {
      considerDefaultExhaustiveForUnions: true,
    },
  ],
  'typescript/consistent-type-imports': 'error',
  'typescript/no-unsafe-type-assertion': 'off',
  'import/no-default-export': 'error',
  'import/no-cycle': 'error',
  'unicorn/filename-case': [
    'error',
    {
      case: 'kebabCase',
    },
  ],
  'no-shadow': 'off',
  'no-await-in-loop': 'off',
  'no-underscore-dangle': 'off',
  'import/no-named-as-default-member': 'off',
  'unicorn/consistent-function-scoping': 'off',
  'unicorn/no-useless-spread': 'off',
  'typescript/no-misused-spread': [
    'error',
    {
      allow: ['string'],
    },
  ],
  'typescript/consistent-return': 'off',
  'no-control-regex': 'off',
  'typescript/require-array-sort-compare': [
    'error',
    {
      ignoreStringArrays: true,
    },
  ],
  'typescript/unbound-method': 'off',
  'unicorn/require-post-message-target-origin': 'off',
}

export default {
  plugins: ['typescript', 'import', 'unicorn', 'oxc'],
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['dist'],
  rules: RULES,
  overrides: [
    ...Object.entries(PACKAGES).flatMap(([folder, packages]) => layer(folder, packages)),
    {
      files: ['src/wrap.ts'],
      rules: { 'no-restricted-imports': ['error', { patterns: [PROGRAMS_DOOR] }] },
    },
    {
      files: ['test/**/vitest.config.ts', 'rolldown.config.ts', 'rollup.types.mjs', '.oxlintrc.mjs'],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
}
