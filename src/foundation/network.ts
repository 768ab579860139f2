/** Networks as operators write them: one address, or a CIDR, of either family; and the addresses that only this machine reaches. */
import { BlockList, isIP } from "node:net"

/** Addresses that only this machine reaches. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

/** IPv4 as IPv6 writes it, in any spelling. Peers that come so are known by their IPv4 address. */
const MAPPED = new BlockList()
MAPPED.addSubnet("::ffff:0:0", 96, "ipv6")

/** Why the text names no network; undefined when it does. */
export const networkFault = (text: string): string | undefined => {
  const [address = "", prefix, ...more] = text.split("/")
  const family = isIP(address)
  if (family === 0 || address.includes("%") || more.length > 0)
    return "an IP address or a CIDR such as 203.0.113.0/24 or 2001:db8::/32"
  const bits = family === 4 ? 32 : 128
  if (prefix !== undefined && !(/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits))
    return `a prefix of 0 to ${bits} bits`
  return undefined
}

/** The same of one that is to be put on a list. */
export const newNetworkFault = (text: string): string | undefined => {
  const fault = networkFault(text)
  const [address = ""] = text.split("/")
  if (fault !== undefined || isIP(address) !== 6 || !MAPPED.check(address, "ipv6")) return fault
  return "write IPv4 addresses as IPv4"
}
