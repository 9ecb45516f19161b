// What turns have to do with the script of their room: it is tried with each model, and told of each turn that ended. This
// folder must not know Lua.
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { isOverBudget, WrapError } from '../../prompt/ports.ts'
import type { ConfiguredModel } from '../ports.ts'
import type { Preview } from '../preview.ts'

/** A script that somebody wants to try in a room. */
export interface ScriptTrial {
  readonly room: Room
  readonly person: Person
  readonly source: string
  /** Gets each line that the script prints, once where it prints the same for all models. */
  readonly print: (line: string) => void
}

/**
 * Compiles a script and composes a trial prompt with it for each model, one after the other: a script that fits into one
 * window may not fit into another. Goes on where it does not fit, and tells of all such models; one that does not even have
 * space for the bundled layers is only printed, since no script would pass. Rejects with `Refusal` where there is no model,
 * with `WrapError`, which names the models where there are several, and with `StorageError`.
 */
export async function checkWithAll(
  { room, person, source, print }: ScriptTrial,
  models: readonly ConfiguredModel[],
  preview: Pick<Preview, 'checkScript'>,
): Promise<void> {
  if (models.length === 0) throw new Refusal('no model is enabled here; see /models')
  const isTooSmall = async (model: ConfiguredModel): Promise<boolean> =>
    isOverBudget(await failureOf(preview.checkScript(BUNDLED, { room, requester: person, model }, () => {})))
  const tooLong: string[] = []
  let shown: string | undefined
  for (const model of models) {
    const name = models.length > 1 ? `@${model.settings.name}: ` : ''
    const lines: string[] = []
    const query = { room, requester: person, model }
    const failure = await failureOf(preview.checkScript(source, query, (line) => void lines.push(line)))
    const text = lines.join('\n')
    if (text !== shown) for (const line of lines) print(shown === undefined ? line : `${name}${line}`)
    shown = text
    if (!failure) continue
    if (!isOverBudget(failure)) throw new WrapError(failure.reason, `${name}${failure.message}`)
    if (models.length > 1 && (await isTooSmall(model)))
      print(`! ${name}${failure.message}; its window is too small for the bundled layers as well`)
    else tooLong.push(`${name}${failure.message}`)
  }
  if (tooLong.length > 0) throw new WrapError('budget', tooLong.join('; '))
}

/** A script that changes nothing of the bundled layers. */
const BUNDLED = ''

/** What an attempt failed with; undefined where it did not. Rejects where that is no failure of a prompt. */
async function failureOf(attempt: Promise<void>): Promise<WrapError | undefined> {
  try {
    await attempt
    return undefined
  } catch (error) {
    if (error instanceof WrapError) return error
    throw error
  }
}
