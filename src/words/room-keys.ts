export const EXITS_KEY = 'exits'

/** The ids of pinned lines. No person or script can set a key with a colon, and no fork copies it. */
export const PINS_KEY = 'pinned:lines'

/** Models may walk through exits only if the value is `true`. */
export const NAV_KEY = 'nav'
