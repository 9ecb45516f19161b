import { readBundle } from '../../src/adapters/lua/bundle.ts'
import { createWasmoonEngine } from '../../src/adapters/lua/wasmoon.ts'
import { paths } from '../../src/paths.ts'
import { luaEngineExam } from './lua-engine-exam.ts'

luaEngineExam('wasmoon', createWasmoonEngine, () => readBundle(paths.lua))
