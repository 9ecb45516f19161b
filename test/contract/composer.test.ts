import type { EngineName } from '../../src/adapters/lua/engines.ts'
import { createComposer } from '../../src/adapters/lua/composer.ts'
import { paths } from '../../src/app/paths.ts'
import { localComposer } from '../support/composer.ts'
import { memoryLog } from '../support/society.ts'
import { composerExam } from './composer-exam.ts'

const pool = (engine: EngineName) => () =>
  createComposer({ entry: paths.wrapProcess, packageRoot: paths.root, engine, log: memoryLog() })

/** The pool with every engine: one that is missing here does not pass the type check. */
const POOLS: Readonly<Record<EngineName, ReturnType<typeof pool>>> = {
  wasmoon: pool('wasmoon'),
  'lua-in-js': pool('lua-in-js'),
}

for (const [engine, open] of Object.entries(POOLS)) composerExam(`of wrap processes with ${engine}`, open)

// Tests of turns compose with it: it must do what the real one does.
composerExam('in the process of a test', localComposer)
