import { afterAll } from 'vitest'

/** Opens what all tests of a file use, and closes it after the last of them. */
export async function forAllTests<T extends AsyncDisposable | Disposable>(
  opening: Promise<T> | T,
): Promise<T> {
  const opened = await opening
  afterAll(() => (Symbol.asyncDispose in opened ? opened[Symbol.asyncDispose]() : opened[Symbol.dispose]()))
  return opened
}
