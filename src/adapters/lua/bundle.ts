import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The bundled Lua: module names as `require` takes them (`wrap`, `layers.history`) and their text. */
export type LuaBundle = ReadonlyMap<string, string>

/** Reads lua/ and lua/layers/. Rejects with the file system's error. */
export async function readBundle(directory: string): Promise<LuaBundle> {
  const top = await readModules(directory, '')
  const layers = await readModules(join(directory, 'layers'), 'layers.')
  return new Map([...top, ...layers])
}

async function readModules(
  directory: string,
  prefix: string,
): Promise<readonly (readonly [string, string])[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.lua')).toSorted()
  return Promise.all(
    files.map(
      async (file) =>
        [prefix + file.slice(0, -'.lua'.length), await readFile(join(directory, file), 'utf8')] as const,
    ),
  )
}
