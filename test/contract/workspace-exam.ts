import { afterAll, beforeAll, describe } from 'vitest'
import { changeExam } from './workspace/change-exam.ts'
import type { Examined, Examinee } from './workspace/examinee.ts'
import { readExam } from './workspace/read-exam.ts'
import { runExam } from './workspace/run-exam.ts'
import { searchExam } from './workspace/search-exam.ts'

/**
 * What every adapter of `Workspace` must do. `open` gives an empty one, in which files have at most 1 MiB and a
 * command 128 MiB of memory.
 */
export function workspaceExam(name: string, open: () => Promise<Examinee>): void {
  const parts: readonly (readonly [string, (examined: Examined) => void])[] = [
    ['reading in', readExam],
    ['changing files in', changeExam],
    ['searching', searchExam],
    ['a command in', runExam],
  ]
  describe.each(parts)(`%s the workspace ${name}`, (_what, exam) => {
    let examinee: Examinee
    beforeAll(async () => {
      examinee = await open()
    })
    afterAll(() => examinee[Symbol.asyncDispose]())
    exam(() => examinee)
  })
}
