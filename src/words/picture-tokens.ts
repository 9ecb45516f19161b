/** How many tokens a provider counts for a picture, by the rule that it publishes. */
export type PictureRule =
  /** Pixels in a token, between two bounds. */
  | { readonly kind: 'pixels'; readonly pixels: number; readonly least: number; readonly most: number }
  /** Patches of `side` × `side` pixels, at most `most`, and the tokens of each. */
  | { readonly kind: 'patches'; readonly side: number; readonly most: number; readonly tokens: number }
  /** OpenAI: tiles of 512 × 512 pixels after the picture is made smaller. */
  | { readonly kind: 'tiles'; readonly base: number; readonly tokens: number }
  /** Gemini 2: a small picture is one tile, a larger one is cut into tiles sized by its shorter side. */
  | { readonly kind: 'crops'; readonly tokens: number }

/**
 * Assumed for servers that publish no rule: a token for 28 × 28 pixels (Qwen2.5-VL), at most as many as
 * llama.cpp takes by default, and never fewer than older models that make all pictures one size; 2026-11.
 */
export const CAREFUL_PICTURES: PictureRule = { kind: 'pixels', pixels: 784, least: 1024, most: 4096 }

export function pictureTokens(
  rule: PictureRule,
  { width, height }: { readonly width: number; readonly height: number },
): number {
  switch (rule.kind) {
    case 'pixels':
      return Math.min(rule.most, Math.max(rule.least, Math.ceil((width * height) / rule.pixels)))
    case 'patches': {
      const patches = Math.ceil(width / rule.side) * Math.ceil(height / rule.side)
      return Math.ceil(Math.min(rule.most, patches) * rule.tokens)
    }
    case 'tiles': {
      const inSquare = Math.min(1, 2048 / Math.max(width, height))
      const scale = Math.min(inSquare, 768 / Math.min(width, height))
      const tiles = Math.ceil((width * scale) / 512) * Math.ceil((height * scale) / 512)
      return rule.base + rule.tokens * tiles
    }
    case 'crops': {
      if (width <= 384 && height <= 384) return rule.tokens
      const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)))
      return rule.tokens * Math.ceil(width / side) * Math.ceil(height / side)
    }
  }
}
