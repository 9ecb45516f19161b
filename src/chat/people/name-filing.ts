/** Files people's names by the rules of now; rejects with `StorageError` only, and then nothing was changed. */
export interface NameFiling {
  /**
   * Files all names: their skeletons and looks (lib/text/skeleton.ts). Undefined, and nothing done, if they are filed so. Nobody
   * loses a name or a key.
   */
  fileNames(): Promise<NamesFiled | undefined>
}

/** What was found when all names were filed anew. */
export interface NamesFiled {
  /** How many there are. */
  readonly names: number
  /** Names that cannot be told from a name that was there before. */
  readonly alike: readonly { readonly name: string; readonly like: string }[]
  /** Names that nobody could register now (`problemWithName`). */
  readonly unfit: readonly string[]
}
