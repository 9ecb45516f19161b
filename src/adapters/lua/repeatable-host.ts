import { askHost, type HostAnswer } from './lua-values.ts'
import type { StateJob } from './lua-states.ts'

/**
 * The host of a job whose run may begin again: each question is answered once, and in the next run by the
 * same answer.
 */
export interface RepeatableHost {
  /** A run begins, or begins again. */
  begin(): void
  /** Never throws. Scripts are deterministic: the questions of all runs are the same, in the same order. */
  ask(name: string, argument: string): HostAnswer
}

/**
 * Nothing that a script does through its host is done twice, and the numbers of its texts stay those of Lua.
 */
export function createRepeatableHost({ host, texts }: StateJob): RepeatableHost {
  const answers: HostAnswer[] = []
  let asked = 0
  return {
    begin() {
      asked = 0
      texts.forget()
    },
    ask(name, argument) {
      const answer = answers[asked] ?? askHost(host, name, argument)
      answers[asked] = answer
      asked += 1
      if ('text' in answer) texts.keep(answer.text)
      return answer
    },
  }
}
