// What turns have to do with the script of their room: it is tried with each model, and told of each turn that ended. This
// folder must not know Lua.
import { Refusal } from '../../chat/errors.ts'
import type { Person } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import { WrapError } from '../../prompt/ports.ts'
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
 * window may not fit into another. Rejects with `Refusal` where there is no model, with the first `WrapError`, which names
 * the model where there are several, and with `StorageError`.
 */
export async function checkWithAll(
  { room, person, source, print }: ScriptTrial,
  models: readonly ConfiguredModel[],
  preview: Pick<Preview, 'checkScript'>,
): Promise<void> {
  if (models.length === 0) throw new Refusal('no model is enabled here; see models')
  let shown: string | undefined
  for (const model of models) {
    const name = models.length > 1 ? `@${model.settings.name}: ` : ''
    const lines: string[] = []
    try {
      await preview.checkScript(source, { room, requester: person, model }, (line) => void lines.push(line))
    } catch (error) {
      throw error instanceof WrapError ? new WrapError(error.reason, `${name}${error.message}`) : error
    } finally {
      const text = lines.join('\n')
      if (text !== shown) for (const line of lines) print(shown === undefined ? line : `${name}${line}`)
      shown = text
    }
  }
}
