import { listLua, readBundle } from '../../src/wrap/lua/bundle.ts'
import { ENGINES, openEngine } from '../../src/wrap/lua/engines.ts'
import { paths } from '../../src/base/paths.ts'
import { luaEngineExam } from './lua-engine-exam.ts'

for (const { name, lacks } of ENGINES) {
  luaEngineExam(name, lacks, async (limits) => openEngine(name, await readBundle(listLua(paths.lua)), limits))
}
