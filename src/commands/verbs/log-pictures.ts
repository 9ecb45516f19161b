import { NoSuchFile } from '../../base/file-tree.ts'
import type { Entry, FileNote } from '../../words/entry.ts'
import { WorkspaceError } from '../../words/errors.ts'
import { isPicture } from '../../words/file-notes.ts'
import type { Picture } from '../../words/picture.ts'
import type { Services } from './common.ts'

/** Limit of pictures in a page. */
const MAX_PICTURES = 50
const MAX_BYTES = 20 * 1024 * 1024
const MAX_PICTURE_BYTES = 5 * 1024 * 1024

/** Pictures in a room's workspace that entries of its log brought, for one page. */
export class LogPictures {
  readonly #files: ReturnType<Services['filesOf']>
  #picturesLeft = MAX_PICTURES
  #bytesLeft = MAX_BYTES

  constructor(files: ReturnType<Services['filesOf']>) {
    this.#files = files
  }

  /** Omits pictures that are missing, changed since, damaged or too large, and pictures beyond the limits. */
  async of(entry: Entry): Promise<readonly Picture[]> {
    if (entry.kind !== 'file' || entry.thread !== undefined) return []
    const pictures: Picture[] = []
    for (const note of entry.files) {
      if (!isPicture(note.type) || note.event === 'removed' || this.#picturesLeft === 0) continue
      const picture = await this.#read(note, entry.at)
      if (!picture) continue
      pictures.push(picture)
      this.#picturesLeft -= 1
      this.#bytesLeft -= picture.size
    }
    return pictures
  }

  async #read({ name, size }: FileNote, at: number): Promise<Picture | undefined> {
    try {
      const facts = await this.#files.filesBy({ name: '' }).facts(name)
      if (facts.size !== size || facts.modifiedAt > at) return undefined
      return await this.#files.readPicture(name, Math.min(MAX_PICTURE_BYTES, this.#bytesLeft))
    } catch (error) {
      if (error instanceof WorkspaceError || error instanceof NoSuchFile) return undefined
      throw error
    }
  }
}
