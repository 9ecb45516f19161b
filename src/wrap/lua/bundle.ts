import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Json } from '../../base/json.ts'
import { WrapError } from '../ports.ts'
import { luaLiteral } from './lua-values.ts'

/** The bundled Lua texts by module name, as in `require`: `wrap`, `layers.history`. */
export type LuaBundle = ReadonlyMap<string, string>

/** The files of the bundled Lua, as paths in `directory`, such as `layers/history.lua`. */
export interface LuaFiles {
  readonly directory: string
  readonly files: readonly string[]
}

/** Lists lua/ and lua/layers/. Throws `WrapError` if either directory has no files. */
export const listLua = (directory: string): LuaFiles => ({
  directory,
  files: [
    ...listLuaFiles(directory, 'there is no Lua'),
    ...listLuaFiles(join(directory, 'layers'), 'there are no layers').map((file) => `layers/${file}`),
  ],
})

function listLuaFiles(directory: string, none: string): readonly string[] {
  const names = existsSync(directory) ? readdirSync(directory) : []
  const files = names.filter((name) => /^[^.].*\.lua$/.test(name)).toSorted()
  if (files.length > 0) return files
  throw new WrapError('process', `${join(directory, '*.lua')}: ${none}; install sshawl again`)
}

/** Reads the files. Rejects with the file system's error. */
export async function readBundle({ directory, files }: LuaFiles): Promise<LuaBundle> {
  const moduleOf = async (file: string) =>
    [
      file.slice(0, -'.lua'.length).replaceAll('/', '.'),
      await readFile(join(directory, file), 'utf8'),
    ] as const
  return new Map(await Promise.all(files.map(moduleOf)))
}

/** Lua to compile, and its name in errors. */
export interface LuaChunk {
  readonly name: string
  readonly source: string
}

/** The bundle as an engine compiles it. */
export interface LuaProgram {
  /** lua/sandbox.lua: takes the compiled modules, returns the function that runs a composition. */
  readonly sandbox: LuaChunk
  /** The modules by name in `require`. Each takes its environment as its only argument. */
  readonly modules: readonly (readonly [name: string, chunk: LuaChunk])[]
}

/** Throws if lua/sandbox.lua is missing. */
export function programOf(bundle: LuaBundle): LuaProgram {
  const sandbox = bundle.get('sandbox')
  if (sandbox === undefined) throw new Error('lua/sandbox.lua is missing')
  const modules = [...bundle]
    .filter(([name]) => name !== 'sandbox')
    .map(([name, text]) => [name, withEnvironment(`lua/${name.replaceAll('.', '/')}.lua`, text)] as const)
  return { sandbox: { name: 'lua/sandbox.lua', source: sandbox }, modules }
}

/** A room's script. Takes its environment, as a module does. */
export const scriptChunk = (source: string): LuaChunk => withEnvironment('script', source)

export const dataChunk = (data: Json): LuaChunk => ({
  name: 'snapshot',
  source: `return ${luaLiteral(data)}`,
})

/** Adds no line, so that line numbers stay correct. */
const withEnvironment = (name: string, text: string): LuaChunk => ({
  name,
  source: `local _ENV = ...; ${text}`,
})
