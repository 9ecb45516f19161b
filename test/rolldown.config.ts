import type { BuildOptions } from 'rolldown'
import programs from '../rolldown.config.ts'

/**
 * What tests and checks start as processes of their own, joined with what they use, since to compile all that
 * in each
 * process takes seconds. It lies beside `test/checks` so that paths hold; support/built.ts says where.
 */
export default {
  ...programs,
  input: {
    'append-many': 'test/support/postgres/append-many.ts',
    'append-until-killed': 'test/support/append-until-killed.ts',
    checks: 'test/checks/main.ts',
    'mcp-driver': 'test/support/mcp/driver.ts',
    'nats-probe': 'test/support/nats-probe.ts',
  },
  plugins: [],
  output: { dir: 'test/.built', chunkFileNames: 'parts/[name]-[hash].js' },
} satisfies BuildOptions
