import type { Addressed } from '../../words/mentions.ts'
import type { Entry } from '../../words/entry.ts'
import type { Person } from '../../words/person.ts'
import { createAlerts, type OpenPreferences, type Option } from '../../chat/personal/index.ts'
import { type Zone, zoneName, zoneOf } from '../../base/zone.ts'
import { chooseTheme, type Theme, THEMES } from '../drawing/theme.ts'
import type { Terminal } from '../ports.ts'

export type Personal = ReturnType<typeof createPersonal>

export interface PersonalParts {
  readonly person: Person
  readonly preferences: Pick<OpenPreferences, 'now' | 'onChange'>
  readonly addressed: Addressed
  readonly wallNow: () => number
}

/** A setting of the session overrides what the client sent, which overrides the saved preferences. */
export function createPersonal(
  { term, env, size }: Pick<Terminal, 'term' | 'env' | 'size'>,
  { person, preferences, addressed, wallNow }: PersonalParts,
) {
  const zone = sessionZone(env, preferences)
  const changedOptions = new Set<Option>()
  const listeners: (() => void)[] = []
  preferences.onChange((changed) => {
    changedOptions.add(changed)
    for (const listener of listeners) listener()
  })
  const alerts = createAlerts(person, addressed, () => preferences.now())

  function emphasis(entry: Entry): 'own' | 'mention' | undefined {
    const isSpoken = entry.kind === 'message' || entry.kind === 'action'
    // Compares the id first: every screen asks for every line, and a name, which can change, is looked up.
    const mayBeOwn = isSpoken && (entry.by === undefined || entry.by === person.id)
    if (mayBeOwn && entry.author === person.name) return 'own'
    return alerts.isFor(entry) ? 'mention' : undefined
  }

  return {
    get zone(): Zone {
      return zone()
    },
    wallNow,
    emphasis,
    /** The person's setting for timestamps; undefined if there is none. */
    times: () => preferences.now().timestamps,
    theme(): Theme {
      const { theme } = preferences.now()
      const isThemeSet = changedOptions.has('theme') && theme !== undefined && theme !== 'auto'
      return isThemeSet ? THEMES[theme] : chooseTheme(term, changedOptions.has('theme') ? {} : env, theme)
    },
    /** True for the plain view, which redraws nothing. */
    isPlain(): boolean {
      if (size() === undefined) return true
      const { plain } = preferences.now()
      if (changedOptions.has('plain')) return plain === 'on'
      const asked = env['SSHAWL_PLAIN'] ?? ''
      return hasNoCursor(term) || (asked === '' ? plain === 'on' : asked !== '0')
    },
    bell: {
      ringsFor(entry: Entry): boolean {
        return isSpeech(entry) && alerts.rings(entry, true) && emphasis(entry) !== 'own'
      },
      mayRing: () => preferences.now().bell !== 'off',
    },
    onChange: (listener: () => void) => void listeners.push(listener),
  }
}

/** Returns a getter of the session's time zone, with the precedence of `createPersonal`. */
export function sessionZone(env: Terminal['env'], preferences: PersonalParts['preferences']): () => Zone {
  let sent = zoneName(env['TZ'] ?? '')
  preferences.onChange((changed) => {
    if (changed === 'timezone') sent = undefined
  })
  let zone = zoneOf('')
  let name = ''
  return () => {
    const asked = sent ?? preferences.now().timezone ?? ''
    if (asked !== name) zone = zoneOf(asked)
    name = asked
    return zone
  }
}

/** True for terminals that cannot move the cursor, and for clients that read line by line. */
const hasNoCursor = (term: string): boolean => term === 'dumb' || term === 'bot' || term === ''

const isSpeech = ({ kind, thread }: Entry): boolean =>
  thread === undefined && (kind === 'message' || kind === 'action' || kind === 'reply')
