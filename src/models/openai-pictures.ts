import type { KnownPictures } from './provider.ts'

/** Models that read text only (platform.openai.com/docs/models). */
const TEXT_ONLY = /^(?:gpt-3|gpt-4(?:$|-(?!turbo|o))|o1-mini|o1-preview|o3-mini|gpt-oss)/

/**
 * Patches of 32 × 32 pixels with a factor, or tiles with a base; the first match of a model's name counts
 * (platform.openai.com/docs/guides/images-vision, 2026-11).
 */
const RULES: readonly (readonly [RegExp, NonNullable<KnownPictures['rule']>])[] = [
  [/^gpt-4o-mini/, { kind: 'tiles', base: 2833, tokens: 5667 }],
  [/^(?:gpt-4\.1|gpt-5[.\d]*)-nano/, { kind: 'patches', side: 32, most: 1536, tokens: 2.46 }],
  [/^(?:gpt-4\.1|gpt-5[.\d]*)-mini/, { kind: 'patches', side: 32, most: 1536, tokens: 1.62 }],
  [/^o4-mini/, { kind: 'patches', side: 32, most: 1536, tokens: 1.72 }],
  [/^o[13]/, { kind: 'tiles', base: 75, tokens: 150 }],
  [/^/, { kind: 'tiles', base: 85, tokens: 170 }],
]

export function openaiPictures(model: string): KnownPictures {
  const rule = RULES.find(([names]) => names.test(model))?.[1]
  return { takes: !TEXT_ONLY.test(model), ...(rule ? { rule } : {}) }
}
