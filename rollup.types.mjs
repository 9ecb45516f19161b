// Joins the declarations that tsc wrote to dist/types into the one that comes with the package.
import { dts } from 'rollup-plugin-dts'

export default {
  input: 'dist/types/index.d.ts',
  output: { file: 'dist/index.d.ts' },
  external: (id) => /^[@a-z]/i.test(id),
  plugins: [dts()],
}
