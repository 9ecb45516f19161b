/** Names as GitHub and Slack write them. A short list: libraries have 1,900, and any emoji can be typed. */
const NAMES = `
👍 +1 thumbsup|👎 -1 thumbsdown|❤️ heart|💔 broken_heart|😂 joy|🤣 rofl|😄 smile|😃 smiley|😁 grin|😅 sweat_smile
😊 blush|😉 wink|😍 heart_eyes|😎 sunglasses|🤓 nerd|🤔 thinking|😐 neutral_face|🙄 roll_eyes|😮 open_mouth|😱 scream
😢 cry|😭 sob|😠 angry|😴 sleeping|🤯 exploding_head|🥳 partying_face|🤦 facepalm|🤷 shrug|💀 skull|🤡 clown|🤖 robot
💩 poop|🎉 tada party|✨ sparkles|⭐ star|🔥 fire|⚡ zap|💯 100|🚀 rocket|👀 eyes|🙏 pray|👏 clap|🙌 raised_hands
👋 wave|💪 muscle|👌 ok_hand|🤝 handshake|✌️ v|🤞 crossed_fingers|☝️ point_up|👉 point_right|🫡 salute
✅ white_check_mark check|❌ x cross|⚠️ warning|❓ question|❗ exclamation|💡 bulb|🐛 bug|🔨 hammer|🔧 wrench
🔒 lock|🔗 link|📝 memo|📦 package|📌 pushpin|📈 chart|⏳ hourglass|🚢 ship shipit|♻️ recycle|☕ coffee|🍺 beer
🍕 pizza|🍰 cake|🌈 rainbow|☀️ sunny|🐱 cat|🐶 dog|🦄 unicorn`

const EMOJI: ReadonlyMap<string, string> = new Map(
  NAMES.trim()
    .split(/[|\n]/)
    .flatMap((line) => {
      const [emoji = '', ...names] = line.split(' ')
      return names.map((name) => [name, emoji] as const)
    }),
)

export const EMOJI_NAMES: readonly string[] = [...EMOJI.keys()]

const bare = (word: string): string => word.toLowerCase().replace(/^:|:$/g, '')

/** The emoji called `:tada:` or `tada`. */
export const emojiCalled = (word: string): string | undefined => EMOJI.get(bare(word))

/** Completions of `:thumbs`: names, or the emoji itself if it is the only one. */
export function emojiBeginning(word: string): readonly string[] {
  const exact = emojiCalled(word)
  if (exact !== undefined) return [exact]
  const names = EMOJI_NAMES.filter((name) => name.startsWith(bare(word)))
  const found = new Set(names.map(emojiCalled))
  return found.size === 1 ? [...found].flatMap((one) => one ?? []) : names.map((name) => `:${name}:`)
}
