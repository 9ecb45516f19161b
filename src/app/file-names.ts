import type { NameFiling } from '../chat/people/ports.ts'
import type { Log } from '../chat/ports.ts'
import { StorageError } from '../chat/errors.ts'

/**
 * Files the names by the rules of now, which takes moments and is done once after an update, and logs what an admin should
 * look at. Where nothing can be stored the server starts all the same, with the names as they were.
 */
export async function fileNames(people: NameFiling, log: Log): Promise<void> {
  try {
    const filed = await people.fileNames()
    if (!filed || filed.names === 0) return
    log.info({ names: filed.names }, 'names were filed by the rules of this version')
    for (const { name, like } of filed.alike)
      log.warn({ name, like }, 'a name cannot be told from an older one; both stay, with their keys')
    for (const name of filed.unfit)
      log.warn({ name }, 'a name could not be registered any more; it stays with its key')
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    log.warn({ error, reason: error.reason }, 'names were not filed anew; the next start tries again')
  }
}
