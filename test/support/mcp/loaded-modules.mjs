/** Preloaded into a server: each specifier that it imports becomes a line of the file named by `LOADED_MODULES`. */
import { register } from 'node:module'

const hooks = `
import { appendFileSync } from 'node:fs'
export async function resolve(specifier, context, next) {
  appendFileSync(process.env.LOADED_MODULES, specifier + '\\n')
  return await next(specifier, context)
}`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
