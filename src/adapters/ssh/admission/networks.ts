/** Many networks that one owner can easily have: an IPv4 /24, or an IPv6 /48, which is what a site is given. */
export const blockOf = (address: string): string =>
  address.includes(':')
    ? groupsOf(address).slice(0, 3).join(':')
    : address.slice(0, Math.max(0, address.lastIndexOf('.')))

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail ? tail.split(':') : []
  const zeros =
    tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0')
  return [...groups, ...zeros, ...rest]
}
