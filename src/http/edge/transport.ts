/**
 * Which connections count as secure, and the client's address (specification, conventions 3). A proxy's headers count only when the peer is one
 * of `TRUST_PROXY`; any other client could forge them.
 */
import { BlockList, isIP } from "node:net"
import { isLoopback } from "../../foundation/network.ts"

export interface TransportSettings {
  readonly host: string
  readonly production: boolean
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  /** Addresses or CIDRs. */
  readonly trustProxy: ReadonlyArray<string>
}

/** The start is refused: what it would listen on is not safe, or not a thing. One line for the operator. */
export class TransportRefused extends Error {
  override readonly name = "TransportRefused"
}

export interface TransportPolicy {
  readonly mode: "direct" | "proxy" | "plain"
  /** Whether the socket's peer is a proxy whose headers count. */
  readonly trusts: (peer: string) => boolean
  /** Whether a request came by HTTPS, or on the loopback of a development server. */
  readonly isSecure: (peer: string, forwardedProto: string) => boolean
  /** The client's address. */
  readonly clientIp: (peer: string, forwardedFor: string) => string
}

/** uWebSockets writes IPv6 in full, and IPv4 over an IPv6 socket as `0000:…:ffff:7f00:0001`. */
export const plainAddress = (text: string): string => {
  const mapped = /^(?:0{1,4}:){5}ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(text)
  if (mapped !== null) {
    const high = Number.parseInt(mapped[1]!, 16)
    const low = Number.parseInt(mapped[2]!, 16)
    return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
  }
  if (text.startsWith("::ffff:") && text.includes(".")) return text.slice(7)
  return /^(?:0{1,4}:){7}0{0,3}1$/.test(text) ? "::1" : text
}

const trusted = (entries: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address, prefix] = entry.split("/")
    const family = isIP(address ?? "")
    const bits = prefix === undefined ? undefined : Number(prefix)
    const wrong = bits !== undefined && (!Number.isInteger(bits) || bits < 0 || bits > (family === 4 ? 32 : 128))
    if (address === undefined || family === 0 || wrong)
      throw new TransportRefused(`TRUST_PROXY: "${entry}" is neither an IP address nor a CIDR such as 10.0.0.0/8`)
    const kind = family === 4 ? "ipv4" : "ipv6"
    if (bits === undefined) list.addAddress(address, kind)
    else list.addSubnet(address, bits, kind)
  }
  return list
}

/** Throws TransportRefused when the settings would serve plain HTTP to a network. */
export const transportPolicy = (settings: TransportSettings): TransportPolicy => {
  const proxies = trusted(settings.trustProxy)
  const behindProxy = settings.trustProxy.length > 0
  const mode = settings.tls !== null ? "direct" : behindProxy ? "proxy" : "plain"
  if (mode === "plain" && settings.production)
    throw new TransportRefused(
      "plain HTTP is refused in production: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY with the addresses of the proxy in front",
    )
  if (mode === "plain" && !isLoopback(settings.host))
    throw new TransportRefused(
      `plain HTTP is served on loopback only, not on ${settings.host}: set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY with the addresses of the proxy in front`,
    )
  const trusts = (peer: string): boolean => {
    if (!behindProxy) return false
    const family = isIP(peer)
    return family !== 0 && proxies.check(peer, family === 4 ? "ipv4" : "ipv6")
  }
  return {
    mode,
    trusts,
    isSecure: (peer, forwardedProto) =>
      mode !== "proxy" ||
      // Several lines or values: every one of them must say so.
      (trusts(peer) && forwardedProto.split(",").every((proto) => proto.trim().toLowerCase() === "https")),
    clientIp: (peer, forwardedFor) => {
      if (forwardedFor === "" || !trusts(peer)) return peer
      // From the right: every trusted hop vouches for the address before it, and none for what is further left.
      const hops = forwardedFor.split(",").map((hop) => plainAddress(hop.trim()))
      let client = peer
      for (const hop of hops.reverse()) {
        if (isIP(hop) === 0) break
        client = hop
        if (!trusts(hop)) break
      }
      return client
    },
  }
}
