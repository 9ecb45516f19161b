import type { Person, Role } from '../../words/person.ts'
import type { Condition } from './ports.ts'

export type RoutineVerb = 'remind' | 'every' | 'watch' | 'listen'

/** `ops`: ops of the room, its owner and admins. */
export type AllowedPeople = 'members' | 'ops' | 'admins' | 'nobody'

/** `[routines]` of the config. */
export interface RoutinePolicy {
  /** False if no routine runs. */
  readonly enabled: boolean
  /** Absent: the default. */
  readonly allow: { readonly [Verb in RoutineVerb | 'remember']?: AllowedPeople | undefined }
  /** True if anybody can register from other machines. */
  readonly isOpen: boolean
}

const USUALLY_ALLOWED: Readonly<Record<RoutineVerb, AllowedPeople>> = {
  remind: 'members',
  every: 'members',
  watch: 'ops',
  listen: 'ops',
}

/** On a server open to strangers, routines that ask a model are for admins: anybody can own a room. */
export const allowedPeople = (
  { allow, isOpen }: Pick<RoutinePolicy, 'allow' | 'isOpen'>,
  verb: RoutineVerb,
  asks: boolean,
): AllowedPeople => allow[verb] ?? (asks && isOpen ? 'admins' : USUALLY_ALLOWED[verb])

export interface RoutineUse {
  readonly verb: RoutineVerb
  /** True if the routine asks a model. */
  readonly asks: boolean
}

/** Returns a sentence, or undefined if the person may use the verb. */
export function whyNoRoutine(
  policy: RoutinePolicy,
  { verb, asks }: RoutineUse,
  { guest }: Pick<Person, 'guest'>,
  role: Role,
): string | undefined {
  if (guest) return 'a guest has no routines; log in with a name of your own'
  if (!policy.enabled) return 'the operator of this server has turned routines off ([routines] enabled)'
  const allowed = allowedPeople(policy, verb, asks)
  if (isAmong(role, allowed)) return undefined
  const what = asks ? `${verb} with a model` : verb
  return `${WHO[allowed]} may use ${what} here ([routines] allow.${verb})`
}

const WHO: Readonly<Record<AllowedPeople, string>> = {
  members: 'only people with a name of their own',
  ops: 'only ops, the owner of the room and admins',
  admins: 'only admins',
  nobody: 'nobody',
}

export function isAmong(role: Role, allowed: AllowedPeople): boolean {
  switch (allowed) {
    case 'members':
      return role !== 'guest'
    case 'ops':
      return role === 'op' || role === 'owner' || role === 'admin'
    case 'admins':
      return role === 'admin'
    case 'nobody':
      return false
  }
}

const VERBS: Readonly<Record<Condition['kind'], RoutineVerb>> = {
  once: 'remind',
  calendar: 'every',
  line: 'watch',
  each: 'listen',
}

export const modelsOf = (condition: Condition): readonly string[] =>
  'model' in condition ? [condition.model] : (condition.asks ?? [])

export const useOf = (condition: Condition): RoutineUse => ({
  verb: VERBS[condition.kind],
  asks: modelsOf(condition).length > 0,
})
