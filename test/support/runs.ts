/** `PROPERTY_RUNS=full`, as in CI, tries each property as often as its test says. */
const isFull = process.env['PROPERTY_RUNS'] === 'full'

/**
 * How often a property is tried: so often in CI, a tenth of that in `npm test`. Each run has a seed of its own, so that many
 * short runs find what a long one finds.
 */
export const runs = (full: number): number => (isFull ? full : Math.ceil(full / 10))
