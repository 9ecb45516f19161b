import { z } from 'zod'

/** The name of an environment variable, in place of the key that it holds. */
export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'write the name of an environment variable, not the key')
