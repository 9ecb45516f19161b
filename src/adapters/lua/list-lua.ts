import { join } from 'node:path'
import glob from 'fast-glob'
import { WrapError } from '../../prompt/ports.ts'
import type { LuaFiles } from './bundle.ts'

/**
 * Lists lua/ and lua/layers/ for `readBundle`. Only the server does: fast-glob would delay each start of a
 * wrap process. Throws `WrapError` if one of the two has no files.
 */
export const listLua = (directory: string): LuaFiles => ({
  directory,
  files: [
    ...filesLike('*.lua', directory, 'there is no Lua'),
    ...filesLike('layers/*.lua', directory, 'there are no layers'),
  ],
})

function filesLike(pattern: string, directory: string, none: string): readonly string[] {
  const files = glob.sync(pattern, { cwd: directory, onlyFiles: false }).toSorted()
  if (files.length > 0) return files
  throw new WrapError('process', `${join(directory, pattern)}: ${none}; install sshawl again`)
}
