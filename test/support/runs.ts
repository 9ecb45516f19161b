/** `PROPERTY_RUNS=full`, as in `npm run test:full`, tries each property as often as its test says. */
const isFull = process.env['PROPERTY_RUNS'] === 'full'

/**
 * How often a property is tried: so often at night, else a tenth of that. Each run has a seed of its own, so that many
 * short runs find what a long one finds.
 */
export const runs = (full: number): number => (isFull ? full : Math.ceil(full / 10))
