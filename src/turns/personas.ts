import { counted } from '../base/amounts.ts'
import type { RoomName } from '../words/entry.ts'
import { Refusal } from '../words/errors.ts'
import { personaLabel, speakerCalled } from '../words/names.ts'
import type { ConfiguredModel } from '../wrap/loop/index.ts'

/** A name in a room with an instruction. Its model answers mentions of the name. */
export interface Persona {
  readonly name: string
  readonly text: string
  /** Patterns of the tools that the persona may call, within all other scopes; null for all of these. */
  readonly tools: readonly string[] | null
}

/** One version of a persona; an empty `text` removes it. */
export interface StoredPersona extends Persona {
  readonly room: RoomName
  /** The name of its model in the config. */
  readonly model: string
  /** Counts the versions of this name in the room: 1, 2, 3, … */
  readonly version: number
  readonly author: string
  readonly at: number
}

/** All methods reject with `StorageError` only. */
export interface PersonaStore {
  /** Resolves to the newest version of each persona that was not removed, by name. */
  current(room: RoomName): Promise<readonly StoredPersona[]>
  /** By name, the newest version first. */
  versions(room: RoomName): Promise<readonly StoredPersona[]>
  /** Adds a version. `full`, and nothing stored, if the room has `most` personas of other names. */
  put(persona: Omit<StoredPersona, 'version'>, most: number): Promise<StoredPersona | 'full'>
}

export interface ListedPersona extends StoredPersona {
  /** Why the persona cannot be asked now, as a sentence without its full stop. */
  readonly paused?: string
}

/** The model that a mention asks, and its persona if it has one. */
export interface AskedModel {
  readonly model: ConfiguredModel
  readonly persona?: Persona
}

/** A key of `[limits]`. */
export interface PersonaLimits {
  readonly personas_per_room: number
}

/** Knows who can be asked in a room. Methods reject with `StorageError`, too. */
export class Personas {
  readonly #store: PersonaStore
  readonly #models: () => readonly ConfiguredModel[]
  readonly #limits: PersonaLimits

  constructor(store: PersonaStore, models: () => readonly ConfiguredModel[], limits: PersonaLimits) {
    this.#store = store
    this.#models = models
    this.#limits = limits
  }

  /** Stores a new version. Rejects with `Refusal` if the room has too many. */
  async put(persona: Omit<StoredPersona, 'version'>): Promise<StoredPersona> {
    const { personas_per_room: most } = this.#limits
    const stored = await this.#store.put(persona, most)
    if (stored !== 'full') return stored
    const has = `${persona.room} has ${counted(most, 'persona')}`
    throw new Refusal(`${has}, which is the limit (personas_per_room)`)
  }

  async list(room: RoomName): Promise<readonly ListedPersona[]> {
    const names = this.#names()
    return (await this.#store.current(room)).map((one) => ({ ...one, ...pauseOf(one, names) }))
  }

  /** Returns the names that a mention can ask: models in the order of the config, then personas. */
  async namesIn(room: RoomName): Promise<readonly string[]> {
    const personas = await this.#store.current(room)
    return [...new Set([...this.#names(), ...personas.map(({ name }) => name)])]
  }

  /** Rejects with `Refusal` if nobody has this name, or the persona is paused. */
  async find(room: RoomName, name: string): Promise<AskedModel> {
    const isModel = this.#names().includes(name)
    const persona = isModel ? undefined : (await this.list(room)).find((one) => one.name === name)
    if (!persona) return { model: modelNamed(name, this.#models()) }
    if (persona.paused !== undefined) throw new Refusal(`@${name} is paused: ${persona.paused}`)
    const { text, tools } = persona
    return { model: modelNamed(persona.model, this.#models()), persona: { name, text, tools } }
  }

  #names(): readonly string[] {
    return this.#models().map(({ settings }) => settings.name)
  }
}

/** A configured model with the name of a persona wins. */
function pauseOf({ name, model }: StoredPersona, models: readonly string[]): { readonly paused?: string } {
  if (models.includes(name)) return { paused: `a model is called ${name} now` }
  return models.includes(model) ? {} : { paused: `there is no model @${model} now` }
}

/** Throws `Refusal`. */
function modelNamed(name: string, models: readonly ConfiguredModel[]): ConfiguredModel {
  const model = models.find(({ settings }) => settings.name === name)
  if (model) return model
  throw new Refusal(`there is no model called @${name.slice(0, 40)}; see /models`)
}

/** The fields of a turn that name its speaker. */
interface SpeakingModel {
  readonly persona?: Persona
  readonly settings: { readonly name: string }
}

/** The name by which a turn is stored and billed: `qwen`, or `reviewer · qwen`. */
export const labelOf = ({ persona, settings }: SpeakingModel): string =>
  persona ? personaLabel(persona.name, settings.name) : settings.name

/** The name by which people mention the speaker of a turn. */
export const nameOf = ({ persona, settings }: SpeakingModel): string => persona?.name ?? settings.name

export const speakerOf = (turn: SpeakingModel): ReturnType<typeof speakerCalled> =>
  speakerCalled(labelOf(turn))
