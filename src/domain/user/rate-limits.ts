/**
 * Every limit of the edge (contract C15; security A.3), beside those of orders and quotes. Each number is a setting of `RATE_LIMITS`;
 * docs/operations/rate-limits.md lists them, and a test holds it to this file.
 */
import { perHour, perMinute, type Rate } from "../../foundation/token-bucket.ts"
import { ORDER_LIMITS, type OrderLimits } from "../order/rates.ts"

// Under which name an address is counted: IPv6 by its /64, because a client with one of its addresses has all of them.

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

export interface RateLimits extends OrderLimits {
  /** Of a user, in weight: every request but those with a bucket of their own, and the health record. */
  readonly http: Rate
  /** Of a user: all that asks for an order or a quote, whatever becomes of it. What is beyond is refused before it is read. */
  readonly orderCalls: Rate
  /** The same of what cancels, which nothing else holds up. */
  readonly cancelCalls: Rate
  /** Of an address, for requests without a good token. */
  readonly httpAddress: Rate
  /** Of an address and an e-mail address together. */
  readonly login: Rate
  readonly loginHour: Rate
  /** Of an address, whatever the e-mail addresses. */
  readonly loginAddress: Rate
  /** Of an e-mail address, from addresses where its user has no session: at most twice the burst in any hour. */
  readonly loginAccount: Rate
  readonly signup: Rate
  /** Of all that come from the machine of the gateway itself, outside of production. */
  readonly signupLocal: Rate
  readonly recover: Rate
  readonly resend: Rate
  readonly verify: Rate
  /** Of a user: wrong codes of the second factor. Hold without limits, too. */
  readonly secondFactor: Rate
  readonly secondFactorHour: Rate
  /** Of a session. */
  readonly refresh: Rate
  /** Of a venue. */
  readonly instrumentSync: Rate
  /** Of a user at a venue: a share of the venue's, so that no user leaves the others nothing. */
  readonly instrumentSyncUser: Rate
  /** Of a user: credentials that a venue is asked about. */
  readonly credentialProofs: Rate
  readonly socketsPerUser: number
  readonly socketsPerAddress: number
  /** Of one connection. */
  readonly socketCommands: Rate
  /** Channels of one connection. */
  readonly socketChannels: number
}

export const RATE_LIMITS: RateLimits = {
  ...ORDER_LIMITS,
  http: perMinute(1_200, 200),
  orderCalls: { perSecond: 500, burst: 1_000 },
  cancelCalls: { perSecond: 1_000, burst: 2_000 },
  httpAddress: { perSecond: 20, burst: 100 },
  login: perMinute(5),
  loginHour: perHour(30),
  loginAddress: perMinute(30),
  loginAccount: perHour(50),
  signup: perHour(5),
  signupLocal: perHour(60),
  recover: perHour(5),
  resend: perMinute(6, 10),
  verify: perMinute(6, 10),
  secondFactor: perMinute(5),
  secondFactorHour: perHour(20),
  refresh: perMinute(30),
  instrumentSync: perMinute(1),
  instrumentSyncUser: perHour(20, 2),
  credentialProofs: perMinute(30, 32),
  socketsPerUser: 20,
  socketsPerAddress: 50,
  socketCommands: { perSecond: 100, burst: 500 },
  socketChannels: 1_000,
}
