/**
 * Style rules, and who may import whom: the table of docs/architecture.md as an allow-list for each folder.
 * A plain module and not JSON, so that the table is written once and its patterns are made from it.
 */
import { readdirSync } from 'node:fs'
import { sep } from 'node:path'

/** For each folder of the core: the folders and the packages it may import, besides itself. */
const CORE = {
  lib: { folders: [], packages: ['fastest-levenshtein', 'ipaddr.js', 'markdown-it', 'ulid'] },
  chat: { folders: ['lib'], packages: [] },
  cluster: { folders: ['chat', 'lib'], packages: [] },
  session: {
    folders: ['chat', 'lib'],
    packages: [
      'string-width',
      'slice-ansi',
      'simple-wcswidth',
      'markdown-it',
      'highlight.js',
      'highlight.js/**',
    ],
  },
  prompt: { folders: ['chat', 'lib'], packages: [] },
  tools: { folders: ['chat', 'lib'], packages: ['zod'] },
  approvals: { folders: ['chat', 'tools', 'lib'], packages: [] },
  toolbox: { folders: ['chat', 'prompt', 'tools', 'approvals', 'lib'], packages: ['minisearch'] },
  turns: { folders: ['chat', 'prompt', 'toolbox', 'tools', 'lib'], packages: [] },
  embedding: { folders: ['chat', 'prompt', 'toolbox', 'tools', 'turns', 'lib'], packages: [] },
  pages: { folders: ['chat', 'prompt', 'turns', 'lib'], packages: ['markdown-it'] },
  commands: { folders: ['chat', 'prompt', 'toolbox', 'approvals', 'turns', 'pages', 'lib'], packages: [] },
}

/** For each adapter: its libraries. It may import `node:` and what `FOR_ADAPTERS` lists, and no other adapter. */
const ADAPTERS = {
  wire: ['@nats-io/transport-node', 'pg'],
  http: [],
  log: ['pino'],
  lua: ['fast-glob', 'lua-in-js', 'luaparse', 'wasmoon'],
  mcp: [
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/*',
    'diff',
    'execa',
    'zod',
  ],
  metrics: ['prom-client'],
  models: ['@ai-sdk/**', 'undici', 'zod'],
  sandbox: ['execa', 'p-limit', 're2js'],
  ssh: ['ssh2', '@noble/post-quantum/**'],
  storage: ['better-sqlite3', 'fast-glob', 'kysely', 'pg', 'ulid'],
  tokens: ['tiktoken', 'tiktoken/**'],
  web: [
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
  'tool-modules': ['zod'],
  'wrapped-tools': ['fast-glob', 'zod'],
}

/** What an adapter may know of the core: its ports, plain types, and the pure functions that a port's contract names. */
const FOR_ADAPTERS = [
  'lib/**',
  'chat/*',
  'chat/moderation/ports.ts',
  'chat/people/*',
  'chat/personal/ports.ts',
  'chat/presence/*',
  'chat/talk/ports.ts',
  'cluster/stores.ts',
  'session/ports.ts',
  'prompt/ports.ts',
  'prompt/model-settings.ts',
  'prompt/prompt.ts',
  'prompt/tool-definitions.ts',
  'prompt/snapshot.ts',
  'prompt/compose-prompt.ts',
  'tools/long-results.ts',
  'tools/mcp-pins.ts',
  'tools/web.ts',
  'tools/workspace.ts',
  'tools/tool.ts',
  'tools/context.ts',
  'tools/result.ts',
  'tools/define-tool.ts',
  'tools/argv.ts',
  'tools/arguments.ts',
  'toolbox/tool-call.ts',
  'approvals/ports.ts',
  'turns/model.ts',
  'turns/ports.ts',
  'turns/billing.ts',
]

/** How many folders lie below one another in `src`: a deeper file would escape the table, so it is looked up. */
const DEEPEST = Math.max(
  ...readdirSync(new URL('src', import.meta.url), { recursive: true }).map((path) => path.split(sep).length),
)

/** One override for each depth below `folder`: a pattern matches an import as it is written, `../` by `../`. */
function layer(folder, outside, packages) {
  const depthOfFolder = folder.split('/').length
  return Array.from({ length: DEEPEST }, (_, below) => {
    const up = (levels) => '../'.repeat(levels)
    const own = Array.from({ length: below }, (_unused, level) => `!${up(level + 1)}**`)
    const group = [
      ...['*', '**', '../**', 'node:*', '!./*', '!./**', ...own],
      ...[`${up(below + 1)}**`, ...outside.map((path) => `!${up(below + depthOfFolder)}${path}`)],
      ...packages.map((name) => `!${name}`),
    ]
    const message = `src/${folder} may not import this: see the table in docs/architecture.md and .oxlintrc.mjs`
    return {
      files: [`src/${folder}/${'*/'.repeat(below)}*.ts`],
      rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
    }
  })
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

/** The config may know the adapters that it configures and the rules of names, and nothing else of ours. */
const CONFIG = layer(
  'config',
  [
    'lib/**',
    'chat/people/names.ts',
    'adapters/wire/config.ts',
    'adapters/lua/engines.ts',
    'adapters/mcp/config.ts',
    'adapters/models/**',
    'adapters/tokens/encodings.ts',
    'adapters/web/config.ts',
    'adapters/web/search-providers.ts',
  ],
  ['node:*', 'smol-toml', 'zod'],
)

export default {
  plugins: ['typescript', 'import', 'unicorn', 'oxc'],
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['dist'],
  rules: RULES,
  overrides: [
    ...Object.entries(CORE).flatMap(([folder, { folders, packages }]) =>
      layer(
        folder,
        folders.map((name) => `${name}/**`),
        packages,
      ),
    ),
    ...Object.entries(ADAPTERS).flatMap(([name, packages]) =>
      layer(`adapters/${name}`, FOR_ADAPTERS, ['node:*', 'node:*/**', ...packages]),
    ),
    ...CONFIG,
    // The entry of the wrap process is a composition root of its own: it joins the engines with the tokenizer.
    { files: ['src/adapters/lua/process/main.ts'], rules: { 'no-restricted-imports': 'off' } },
    {
      files: ['test/**/vitest.config.ts', 'rolldown.config.ts', 'rollup.types.mjs', '.oxlintrc.mjs'],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
}
