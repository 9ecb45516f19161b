// Joins the declarations that tsc wrote to dist/types into one file for each door of the package.
import { dts } from 'rollup-plugin-dts'

export default {
  input: { index: 'dist/types/index.d.ts', wrap: 'dist/types/wrap.d.ts' },
  output: { dir: 'dist', entryFileNames: '[name].d.ts' },
  external: (id) => /^[@a-z]/i.test(id),
  plugins: [dts()],
}
