import type { Resolution } from '../scope/scope.ts'
import type { Catalogue } from './catalogue.ts'

export type AvailableTools = Pick<Resolution, 'visible'> & { readonly catalogue: Catalogue }
