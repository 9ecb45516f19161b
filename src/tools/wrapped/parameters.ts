import { z } from 'zod'
import type { Json, JsonSchema } from '../../base/json.ts'
import type { Annotation, Report } from './annotations.ts'

export type ValueType =
  | { readonly type: 'string' | 'number' | 'integer' | 'boolean' }
  | { readonly type: 'array'; readonly items: ValueType }
  | { readonly type: 'object'; readonly description: string; readonly properties: readonly Parameter[] }

/** A parameter, or a property of an object. */
export interface Parameter {
  readonly name: string
  readonly type: ValueType
  readonly required: boolean
  readonly description: string
}

/** Bounds schemas of types that contain themselves. */
const MAX_DEPTH = 8

const SIMPLE_TYPES = ['string', 'number', 'integer', 'boolean'] as const

/** A declaration before its type is looked up. */
interface Raw {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly line: number
}

interface RawType {
  readonly description: string
  readonly properties: Raw[]
}

/** Reads `@param`, `@type` and `@property` lines in any order. Reports and omits wrong ones. */
export function readParameters(annotations: readonly Annotation[], report: Report): readonly Parameter[] {
  const types = readTypes(annotations, report)
  const params = annotationsOf(annotations, '@param').flatMap(
    (each) => readDeclaration(each, false, report) ?? [],
  )
  refuseTwice(params, report)
  for (const { properties } of types.values()) refuseTwice(properties, report)
  return params.flatMap((param) => resolve(param, types, report, 0) ?? [])
}

const annotationsOf = (annotations: readonly Annotation[], word: string): readonly Annotation[] =>
  annotations.filter((each) => each.word === word)

/** `@type Name {object} text` declares a type; `@property Name.property {type} text` gives it a property. */
function readTypes(annotations: readonly Annotation[], report: Report): ReadonlyMap<string, RawType> {
  const types = new Map<string, RawType>()
  for (const { text, line } of annotationsOf(annotations, '@type')) {
    const [, name, description = ''] = /^([A-Za-z_]\w*)\s+\{\s*object\s*\}\s*(.*)$/s.exec(text) ?? []
    if (name === undefined) report(line, '@type must be written as: @type Name {object} what it is')
    else if (types.has(name)) report(line, `the type ${name} is declared twice`)
    else types.set(name, { description, properties: [] })
  }
  for (const each of annotationsOf(annotations, '@property')) {
    const [, name, text = ''] = /^([A-Za-z_]\w*)\.(\S.*)$/s.exec(each.text) ?? []
    const type = types.get(name ?? '')
    const property = name === undefined ? undefined : readDeclaration({ ...each, text }, true, report)
    if (name === undefined)
      report(each.line, '@property must be written as: @property Type.name {type} what it is')
    else if (!type) report(each.line, `there is no @type ${name} for this property`)
    else if (property) type.properties.push(property)
  }
  return types
}

/** `name {type} [required] text` */
function readDeclaration(from: Annotation, required: boolean, report: Report): Raw | undefined {
  const match = /^(\S+)\s+\{([^}]*)\}(?:\s+\[\s*(\w+)\s*\])?(?:\s+([^\s{[].*|$))?$/s.exec(from.text)
  const [, name = '', type = '', need, description = ''] = match ?? []
  if (!match || (need !== undefined && need !== 'required' && need !== 'optional')) {
    report(from.line, `${from.word} must be written as: ${from.word} name {type} [required] what it is`)
    return undefined
  }
  if (!/^[A-Za-z_]\w{0,63}$/.test(name) || name === '__proto__') {
    report(from.line, `'${name}' cannot be a parameter's name: use letters, digits and _`)
    return undefined
  }
  return {
    name,
    type,
    required: need === undefined ? required : need === 'required',
    description,
    line: from.line,
  }
}

function refuseTwice(declared: readonly Raw[], report: Report): void {
  const seen = new Set<string>()
  for (const { name, line } of declared) {
    if (seen.has(name)) report(line, `'${name}' is declared twice`)
    seen.add(name)
  }
}

function resolve(
  raw: Raw,
  types: ReadonlyMap<string, RawType>,
  report: Report,
  depth: number,
): Parameter | undefined {
  const type = resolveType(raw.type, raw.line, types, report, depth)
  return type && { name: raw.name, type, required: raw.required, description: raw.description }
}

function resolveType(
  name: string,
  line: number,
  types: ReadonlyMap<string, RawType>,
  report: Report,
  depth: number,
): ValueType | undefined {
  if (depth > MAX_DEPTH) {
    report(line, `types nest too deeply (at most ${MAX_DEPTH} levels); does one hold itself?`)
    return undefined
  }
  const primitive = SIMPLE_TYPES.find((each) => each === name)
  if (primitive) return { type: primitive }
  const items = /^array<(.*)>$/.exec(name)?.[1]
  if (items !== undefined) {
    const type = resolveType(items, line, types, report, depth + 1)
    return type && { type: 'array', items: type }
  }
  const declared = types.get(name)
  if (!declared) {
    report(
      line,
      `unknown type {${name}}; there are ${[...SIMPLE_TYPES, 'array<T>', ...types.keys()].join(', ')}`,
    )
    return undefined
  }
  const properties = declared.properties.flatMap((each) => resolve(each, types, report, depth + 1) ?? [])
  return { type: 'object', description: declared.description, properties }
}

/** Checks the arguments of a call: an object with these parameters and no others. */
export const toInput = (parameters: readonly Parameter[]) =>
  z.strictObject(
    Object.fromEntries(
      parameters.map(({ name, type, required }) => [name, required ? toType(type) : toType(type).optional()]),
    ),
  )

function toType(type: ValueType): z.ZodType {
  switch (type.type) {
    case 'string':
      return z.string()
    case 'number':
      return z.number()
    case 'integer':
      return z.int()
    case 'boolean':
      return z.boolean()
    case 'array':
      return z.array(toType(type.items))
    case 'object':
      return toInput(type.properties)
  }
}

/** Returns the JSON Schema for models. Not made by zod, which adds bounds to each integer. */
export function toSchema(parameters: readonly Parameter[]): JsonSchema {
  const required = parameters.filter((each) => each.required).map((each) => each.name)
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((each) => [each.name, propertySchema(each)])),
    ...(required.length > 0 ? { required } : {}),
  }
}

function propertySchema({ type, description }: Parameter): Json {
  const schema = typeSchema(type)
  return description === '' ? schema : { ...schema, description }
}

function typeSchema(type: ValueType): JsonSchema {
  if (type.type === 'array') return { type: 'array', items: typeSchema(type.items) }
  if (type.type !== 'object') return { type: type.type }
  return { ...toSchema(type.properties), ...(type.description ? { description: type.description } : {}) }
}
