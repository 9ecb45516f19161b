import { shown, withArticle } from '../../tools/arguments.ts'
import { ArgumentError } from '../../tools/tool.ts'
import type { Parameter, ValueType } from './definition.ts'

type Args = { readonly [key: string]: unknown }

/**
 * The arguments of a call, if they fit the file's parameters. Throws `ArgumentError` with the first thing
 * to change. An optional parameter that is null counts as absent: models like to fill in all of them.
 */
export function checkArguments(parameters: readonly Parameter[], args: unknown): Args {
  return checkObject(parameters, args ?? {}, '')
}

function checkObject(properties: readonly Parameter[], value: unknown, where: string): Args {
  if (!isObject(value)) throw wrong(where || 'arguments', 'an object', value)
  const unknown = Object.keys(value).find((key) => !properties.some(({ name }) => name === key))
  if (unknown !== undefined) throw new ArgumentError(unknownParameter(unknown, properties, where))
  for (const { name, type, required } of properties) {
    const path = where ? `${where}.${name}` : name
    const given = Object.hasOwn(value, name) ? value[name] : undefined
    if (given === undefined || given === null) {
      if (required) throw new ArgumentError(`${path} is required (${wanted(type)})`)
    } else check(type, given, path)
  }
  return value
}

function check(type: ValueType, value: unknown, path: string): void {
  if (type.type === 'object') checkObject(type.properties, value, path)
  else if (type.type === 'array') {
    if (!Array.isArray(value)) throw wrong(path, wanted(type), value)
    for (const [index, item] of value.entries()) check(type.items, item, `${path}[${index}]`)
  } else if (!isPrimitive(type.type, value)) throw wrong(path, wanted(type), value)
}

function isPrimitive(type: 'string' | 'number' | 'integer' | 'boolean', value: unknown): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
}

const isObject = (value: unknown): value is Args =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function wanted(type: ValueType): string {
  return type.type === 'array' ? `an array of ${type.items.type}s` : withArticle(type.type)
}

const wrong = (path: string, what: string, value: unknown): ArgumentError =>
  new ArgumentError(`${path} must be ${what}, got ${shown(value)}`)

function unknownParameter(key: string, properties: readonly Parameter[], where: string): string {
  const takes = properties.map(({ name }) => `'${name}'`).join(', ') || 'nothing'
  return `unknown parameter ${shown(key)}${where ? ` in ${where}` : ''}; it takes ${takes}`
}
