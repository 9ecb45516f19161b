import { isPictureName } from '../base/picture-file.ts'
import { StorageError, WorkspaceError } from '../words/errors.ts'
import { type Picture, pictureText } from '../words/picture.ts'
import { CAREFUL_PICTURES, pictureTokens } from '../words/picture-tokens.ts'
import type { ToolMessage, Workspace } from '../tools/index.ts'
import { isOverBudget, type ModelSettings } from '../wrap/index.ts'
import type { ScopedTools } from './scoped-tools.ts'
import type { Turn } from './turn.ts'

/** Keys of `[limits]`. */
export interface PictureLimits {
  /** The most pictures of a message; 0 sends none. */
  readonly pictures: number
  readonly picture_mb: number
}

/** The pictures of a message that a request includes. */
export interface ShownPictures {
  readonly pictures: readonly Picture[]
  /** A line for each picture, which the model reads after the message. */
  readonly lines: readonly string[]
}

export const NO_PICTURES: ShownPictures = { pictures: [], lines: [] }

function whyNoPictures({ images, lacks }: ModelSettings): string | undefined {
  if (lacks?.pictures !== undefined) return lacks.pictures
  if (images === false) return 'it takes no pictures'
  return images ? undefined : 'it is not known to take pictures; an admin can set images = true for it'
}

const countedPicture = (picture: Picture, { pictureRule = CAREFUL_PICTURES }: ModelSettings): Picture =>
  picture.counted(pictureTokens(pictureRule, picture))

/** Counts the pictures of a result, or removes them for a model that gets none. */
export function withSeenPictures({ pictures, ...result }: ToolMessage, settings: ModelSettings): ToolMessage {
  if (!pictures) return result
  const why = whyNoPictures(settings)
  if (why === undefined) return { ...result, pictures: pictures.map((one) => countedPicture(one, settings)) }
  return { ...result, content: `${result.content}\n[you do not see it: ${why}]` }
}

const QUOTED = /"([^"\n]+)"|'([^'\n]+)'|`([^`\n]+)`/g
const AROUND = /^[([{<«„“"'`]+|[)\]}>»”"'`?!,;:.…]+$/g

/** Returns the names of pictures in a message, as they were written, each once. */
function picturesNamed(text: string): readonly string[] {
  const quoted = [...text.matchAll(QUOTED)].map((match) => match.slice(1).find(Boolean) ?? '')
  const words = text.split(/\s+/).map((word) => word.replaceAll(AROUND, ''))
  const names = [...quoted, ...words].filter((name) => isPictureName(name) && !name.includes('://'))
  return [...new Set(names)].toSorted((a, b) => text.indexOf(a) - text.indexOf(b))
}

/** Beyond this, a message names no pictures but a list of files. */
const MAX_NAMES = 16

type FoundPicture = Picture | { readonly why: string }

interface PictureMessage {
  readonly text: string
  /** The model's settings, which may change between two requests. */
  readonly settings: ModelSettings
  /** Tells people in a line about a picture that the model does not get. */
  readonly tell: (line: string) => Promise<void> | void
}

/** The pictures that a person named in a message. Each file is read once, at the first request. */
export class MessagePictures {
  readonly #message: PictureMessage
  readonly #workspace: Workspace
  readonly #limits: PictureLimits
  readonly #names: readonly string[]
  #found: Promise<ReadonlyMap<string, FoundPicture>> | undefined
  readonly #told = new Set<string>()

  constructor(message: PictureMessage, workspace: Workspace, limits: PictureLimits) {
    this.#message = message
    this.#workspace = workspace
    this.#limits = limits
    this.#names = limits.pictures > 0 ? picturesNamed(message.text) : []
  }

  /** Omits the pictures if the prompt lacks space for them. Rejects as `compose`, and with `StorageError`. */
  async composeWith<T>(
    scoped: Promise<ScopedTools> | ScopedTools,
    compose: (shown?: ShownPictures) => Promise<T>,
  ): Promise<T> {
    if (this.#names.length === 0) return await compose()
    const tools = await scoped
    const shown = await this.#shownWith(tools)
    try {
      return await compose(shown)
    } catch (error) {
      if (!isOverBudget(error) || shown.pictures.length === 0) throw error
      return await compose(await this.#shownWith(tools, 'the prompt has no space for pictures'))
    }
  }

  /** `leftOut`: why there are no pictures. Tells people once about each picture that a model does not get. */
  async #shownWith({ mayLookAt }: ScopedTools, leftOut?: string): Promise<ShownPictures> {
    const { settings } = this.#message
    const found = await (this.#found ??= this.#read())
    if (!mayLookAt) {
      await this.#tell([...found.keys()], 'look_at is not among the tools that it has here')
      return NO_PICTURES
    }
    const why = leftOut ?? whyNoPictures(settings)
    const pictures: Picture[] = []
    const lines: string[] = []
    for (const [name, one] of found) {
      const reason = 'why' in one ? one.why : (why ?? this.#whyTooMany(pictures.length))
      if (reason === undefined && !('why' in one)) pictures.push(countedPicture(one, settings))
      const facts = 'why' in one ? name : pictureText(one)
      lines.push(reason === undefined ? `[picture ${facts}]` : `[picture ${facts}; you do not see it]`)
      if (reason !== undefined) await this.#tell([name], reason)
    }
    return { pictures, lines }
  }

  #whyTooMany(count: number): string | undefined {
    const most = this.#limits.pictures
    return count < most ? undefined : `at most ${most} pictures go along with a message`
  }

  async #read(): Promise<ReadonlyMap<string, FoundPicture>> {
    const found = new Map<string, FoundPicture>()
    const hashes = new Set<string>()
    for (const name of this.#names.slice(0, MAX_NAMES)) {
      const one = await this.#readOne(name)
      if (one === undefined || ('hash' in one && hashes.has(one.hash))) continue
      if ('hash' in one) hashes.add(one.hash)
      found.set(name, one)
    }
    return found
  }

  /** Resolves to undefined if nothing has this name: the model may be asked to make the picture. */
  async #readOne(name: string): Promise<FoundPicture | undefined> {
    try {
      return await this.#workspace.readPicture(name, this.#limits.picture_mb * 1024 * 1024)
    } catch (error) {
      if (error instanceof StorageError || !(error instanceof WorkspaceError)) throw error
      const isMissing = error.message.includes(' does not exist') || error.message.includes(' is outside ')
      return isMissing ? undefined : { why: error.message }
    }
  }

  async #tell(names: readonly string[], why: string): Promise<void> {
    const fresh = names.filter((name) => !this.#told.has(name))
    for (const name of fresh) this.#told.add(name)
    if (fresh.length === 0) return
    await this.#message.tell(`@${this.#message.settings.name} does not see ${fresh.join(', ')}: ${why}`)
  }
}

/** True if the requester wrote the message: not a model, a routine, or another person. */
export const isOwnLine = ({ message, requester, origin }: Turn): boolean =>
  origin === undefined &&
  message.kind === 'message' &&
  message.routine === undefined &&
  (message.by === undefined ? message.author === requester.name : message.by === requester.id)
