/** Under which name an address is counted: IPv6 by its /64, for whoever has one of its addresses has all of them. */

const GROUPS = 4

export const addressKey = (address: string): string => {
  if (!address.includes(":")) return address
  const [head = "", tail] = address.split("%")[0]!.split("::")
  const groups = head === "" ? [] : head.split(":")
  if (tail !== undefined) {
    const rest = tail === "" ? [] : tail.split(":")
    // An IPv4 address at the end stands for two groups.
    const width = rest.length + (rest.at(-1)?.includes(".") === true ? 1 : 0)
    while (groups.length + width < 8) groups.push("0")
    groups.push(...rest)
  }
  return `${groups
    .slice(0, GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`
}
