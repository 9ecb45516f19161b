import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The order of files: those that wait most of the time (end to end) evenly among those that keep the processor busy, and of
 * both the long ones first, as far as vitest knows: by what they took last time, or by their size.
 */
export class MixedSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- vitest's own method of that name
    const sorted = await super.sort(files)
    const waits = (file: TestSpecification): boolean => file.moduleId.includes('/test/e2e/')
    return spread(
      sorted.filter(waits),
      sorted.filter((file) => !waits(file)),
    )
  }
}

/** Both lists in one, each in its order, so that they come to their ends together. */
function spread<T>(some: readonly T[], others: readonly T[]): T[] {
  const placed = [some, others].flatMap((list) =>
    list.map((item, index) => ({ item, at: (index + 0.5) / list.length })),
  )
  return placed.toSorted((one, two) => one.at - two.at).map(({ item }) => item)
}
