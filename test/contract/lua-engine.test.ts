import { readBundle } from '../../src/adapters/lua/bundle.ts'
import { createLuaInJsEngine } from '../../src/adapters/lua/lua-in-js/engine.ts'
import { createWasmoonEngine } from '../../src/adapters/lua/wasmoon.ts'
import { paths } from '../../src/app/paths.ts'
import { luaEngineExam } from './lua-engine-exam.ts'

luaEngineExam('wasmoon', createWasmoonEngine, () => readBundle(paths.lua))
luaEngineExam('lua-in-js', createLuaInJsEngine, () => readBundle(paths.lua))
