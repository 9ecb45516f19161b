import { posix } from 'node:path'
import type { Sources } from '../metrics/source-files.ts'

/** The file that others open first, in folders that have no `index.ts`, no `ports.ts` and no file of their own name. */
const FIRST_FILES: Readonly<Record<string, string>> = {
  'src/adapters/wire': 'open.ts',
  'src/adapters/http': 'server.ts',
  'src/adapters/log': 'pino-log.ts',
  'src/adapters/lua': 'composer.ts',
  'src/adapters/lua/lua-in-js': 'state.ts',
  'src/adapters/lua/process': 'main.ts',
  'src/adapters/lua/wasmoon': 'state.ts',
  'src/adapters/mcp': 'config.ts',
  'src/adapters/mcp/client': 'servers.ts',
  'src/adapters/mcp/client/revisions': 'hello.ts',
  'src/adapters/metrics': 'meter.ts',
  'src/adapters/sandbox': 'workspaces.ts',
  'src/adapters/ssh': 'server.ts',
  'src/adapters/ssh/first-and-last': 'farewell.ts',
  'src/adapters/ssh/keys': 'public-key.ts',
  'src/adapters/storage/postgres/cluster': 'stores.ts',
  'src/adapters/storage/postgres/names': 'name-filing.ts',
  'src/adapters/storage/postgres/models': 'calibrations.ts',
  'src/adapters/storage/postgres/moderation': 'sanctions.ts',
  'src/adapters/storage/postgres/schema': 'home.ts',
  'src/adapters/storage/postgres/search': 'entry-search.ts',
  'src/adapters/storage/postgres/talk': 'away.ts',
  'src/adapters/storage/postgres/tools': 'mcp.ts',
  'src/adapters/storage/rows': 'entry-row.ts',
  'src/adapters/storage/sqlite/names': 'name-filing.ts',
  'src/adapters/storage/sqlite/models': 'calibrations.ts',
  'src/adapters/storage/sqlite/moderation': 'sanctions.ts',
  'src/adapters/storage/sqlite/search': 'entry-search.ts',
  'src/adapters/storage/sqlite/talk': 'revisions.ts',
  'src/adapters/storage/sqlite/tools': 'mcp.ts',
  'src/adapters/storage/sqlite/threads': 'open-threaded.ts',
  'src/adapters/storage/words': 'index-words.ts',
  'src/adapters/tokens': 'tiktoken.ts',
  'src/adapters/web/reader': 'main.ts',
  'src/app': '../app.ts',
  'src/app/cluster': 'turn-slots.ts',
  'src/app/http': 'open-http.ts',
  'src/app/mcp': 'open-mcp.ts',
  'src/app/mcp/import': 'client-config-file.ts',
  'src/app/operator': 'check.ts',
  'src/app/room': 'board.ts',
  'src/app/tools': 'tool-sources.ts',
  'src/app/turns': 'assemble-turns.ts',
  'src/chat/limits': 'payers.ts',
  'src/commands': 'define.ts',
  'src/commands/verbs/shared': 'announce.ts',
  'src/embedding': 'chat.ts',
  'src/lib': 'brand.ts',
  'src/lib/jobs': 'scheduler.ts',
  'src/lib/markdown': 'parser.ts',
  'src/lib/text': 'clean-text.ts',
  'src/pages': 'page.ts',
  'src/prompt/hooks': 'hook.ts',
  'src/prompt/shown': 'shares.ts',
  'src/session/drawing': 'render-entry.ts',
  'src/session/editing': 'draft.ts',
  'src/session/live': 'live-view.ts',
  'src/session/markdown': 'growing.ts',
  'src/tools': 'tool.ts',
  'src/tools/builtin/calculator': 'evaluate.ts',
  'src/tools/ports': 'workspace.ts',
  'src/turns/messages': 'fit-steps.ts',
  'src/turns/scripts': 'check-script.ts',
}

/**
 * Folders in `src` that do not say what they are for, in the file that is opened first: `index.ts`, else `ports.ts`, else
 * the one with the folder's name, else the one that `firstFiles` names. It begins with a comment that is not about the
 * import, or the declaration, that follows it.
 */
export function silentFolders(sources: Sources, firstFiles = FIRST_FILES): readonly string[] {
  const paths = [...sources.keys()].filter((path) => path.startsWith('src/') && path.endsWith('.ts'))
  const folders = new Set(paths.map((path) => posix.dirname(path)))
  folders.delete('src')
  return [...folders].toSorted().filter((folder) => {
    const first = ['index.ts', 'ports.ts', `${posix.basename(folder)}.ts`, firstFiles[folder] ?? '']
      .map((name) => sources.get(posix.join(folder, name)))
      .find((text) => text !== undefined)
    return !OWN_COMMENT.test(first ?? '')
  })
}

/** A comment at the very beginning, and then imports, further comments or an empty line. */
const OWN_COMMENT = /^(?:\/\*\*(?:(?!\*\/)[^])*\*\/\n|(?:\/\/.*\n)+)(?=\n|import |\/\*\*)/
