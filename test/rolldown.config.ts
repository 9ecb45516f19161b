import type { BuildOptions } from 'rolldown'
import programs from '../rolldown.config.ts'

/** Joins programs of tests with what they use, beside `test/checks` so that paths hold: to compile all that in each process takes seconds. */
export const testPrograms = (input: Readonly<Record<string, string>>): BuildOptions => ({
  ...programs,
  input,
  plugins: [],
  output: { dir: 'test/.built', chunkFileNames: 'parts/[name]-[hash].js' },
})

export default testPrograms({ checks: 'test/checks/main.ts' })
