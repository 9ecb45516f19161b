export const EXITS_KEY = 'exits'

/** Models may walk through exits only if the value is `true`. */
export const NAV_KEY = 'nav'
