import { createComposer } from '../../src/adapters/lua/composer.ts'
import { ENGINE_NAMES } from '../../src/adapters/lua/engines.ts'
import { paths } from '../../src/app/paths.ts'
import { localComposer } from '../support/composer.ts'
import { memoryLog } from '../support/chat-parts.ts'
import { composerExam } from './composer-exam.ts'

for (const engine of ENGINE_NAMES) {
  composerExam(`of wrap processes with ${engine}`, () =>
    createComposer({ entry: paths.wrapProcess, packageRoot: paths.root, engine, log: memoryLog() }),
  )
}

// Tests of turns compose with it: it must do what the real one does.
composerExam('in the process of a test', localComposer)
