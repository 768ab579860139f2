/** Authorises subscriptions on the gateway (realtime B): synchronous, from the directories and the live session or API key. */
import type { AccountDirectory } from "../../actors/account/directory.ts"
import type { DealerDirectory } from "../../actors/dealer/directory.ts"
import type { InstrumentDirectory } from "../../actors/market/instrument-directory.ts"
import type { SpeakerFailure, VerifiedSpeaker } from "../../auth/session/speakers.ts"
import { Unseen } from "../../auth/session/unseen.ts"
import {
  accountChannel,
  accountOrdersChannel,
  accountPositionsChannel,
  bookChannel,
  type Channel,
  type ChannelKind,
  klineChannel,
  parseChannel,
  tickerChannel,
  tradeChannel,
  venueTickerChannel,
} from "../../domain/channel.ts"
import { maySee } from "../../domain/dealer/dealer.ts"
import { AccessTokenExpired } from "../../domain/errors/authentication.ts"
import { IpForbidden } from "../../domain/errors/authorisation.ts"
import type { TenantId, VenueId } from "../../domain/ids.ts"
import { instrumentIdOf } from "../../domain/instrument/instrument.ts"
import type { Venue } from "../../domain/instrument/venue.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { ChannelSource } from "../../ports/channel-port.ts"
import type { Served } from "../fanout/stream.ts"
import { ERRORS } from "../protocol/error-codes.ts"
import { type Access, type Authority, type Credentials, denied, type SubscriptionRequest } from "./authority.ts"
import type { ChannelKinds } from "./kinds.ts"

export interface AccessRules {
  readonly accounts: AccountDirectory
  readonly dealers: Pick<DealerDirectory, "ofOwnAccount">
  readonly instruments: InstrumentDirectory
  /** By its identifier or an alias of it. */
  readonly findVenue: (name: string) => Venue | undefined
  /** `principal` follows the session or API key. */
  readonly verify: (token: string, from: { readonly ip: string }) => VerifiedSpeaker | SpeakerFailure | Unseen
  /** Whether it is of one of the user's environments. */
  readonly isOpenTo: (venue: VenueId, principal: Principal) => boolean
  readonly allows: (principal: Principal, from: { readonly ip: string }) => boolean
  /** Learns a venue's instruments; answers whether they are known now. */
  readonly learnInstruments: (venue: VenueId, done: (known: boolean) => void) => void
  readonly kinds: ChannelKinds
  readonly source: (kind: ChannelKind) => ChannelSource
  /** The map that stands behind a channel; undefined when it has none. */
  readonly mapOf: (channel: Channel) => Served | undefined
}

export const canonicalName = (channel: Channel): string => {
  switch (channel.kind) {
    case "tradingAccount":
      return accountChannel(channel.tradingAccountId)
    case "accountOrders":
      return accountOrdersChannel(channel.tradingAccountId)
    case "accountPositions":
      return accountPositionsChannel(channel.tradingAccountId)
    case "orderbook":
      return bookChannel(channel.instrumentId)
    case "ticker":
      return tickerChannel(channel.instrumentId)
    case "trade":
      return tradeChannel(channel.instrumentId)
    case "kline":
      return klineChannel(channel.instrumentId, channel.interval)
    case "venueTicker":
      return venueTickerChannel(channel.venue, channel.tenantId)
  }
}

export const makeAuthority = (rules: AccessRules): Authority => ({
  identify: (token, from) => {
    if (token === "") return "closed"
    const verified = rules.verify(token, from)
    if (verified instanceof Unseen)
      return {
        unseen: verified.failure instanceof AccessTokenExpired ? "expired" : "invalid",
        learn: (done) => verified.learn((failure) => done(failure === undefined)),
      }
    if (verified instanceof AccessTokenExpired) return "expired"
    if (verified instanceof IpForbidden) return "forbidden"
    if (!("principal" in verified)) return "invalid"
    return {
      user: verified.principal.userId,
      get principal() {
        return verified.principal
      },
      expiresAt: verified.expiresAt,
      ...(verified.isOver === undefined ? undefined : { isOver: verified.isOver }),
      info: null,
      channels: [],
    }
  },
  isWelcome: ({ principal }, from) => principal === null || rules.allows(principal, from),
  access: (credentials, request) => access(rules, credentials, request),
  // Subscriptions of the gateway end with the connection's own token, or its key.
  refreshSubscription: (credentials, request) => {
    const allowed = access(rules, credentials, request)
    return allowed._tag === "Granted" ? { expiresAt: null } : denied(ERRORS.permissionDenied)
  },
})

const access = (rules: AccessRules, { principal }: Credentials, request: SubscriptionRequest): Access => {
  const channel = parseChannel(request.channel)
  if (channel === undefined) return denied(isMalformed(request.channel) ? ERRORS.badRequest : ERRORS.unknownChannel)
  if (principal === null || !principal.permissions.includes("read")) return denied(ERRORS.permissionDenied)
  if ("tradingAccountId" in channel) {
    const account = rules.accounts.find(channel.tradingAccountId)
    const mine =
      account !== undefined &&
      account.tenantId === principal.tenantId &&
      account.status !== "DISCONNECTED" &&
      maySee(principal, account, (own) => rules.dealers.ofOwnAccount(own))
    // A missing account and another user's look the same.
    return mine ? served(rules, channel, request.type) : denied(ERRORS.permissionDenied)
  }
  const found = rules.findVenue(channel.venue)
  if (found === undefined || found.status !== "ACTIVE") return denied(ERRORS.unknownChannel)
  const { venue } = found
  if (!rules.isOpenTo(venue, principal)) return denied(ERRORS.permissionDenied)
  if (!rules.instruments.knows(venue)) return { _tag: "Later", learn: (done) => rules.learnInstruments(venue, done) }
  const meant = asSeenBy(principal.tenantId, atVenue(channel, venue))
  if (
    meant === undefined ||
    (meant.kind !== "venueTicker" && rules.instruments.find(meant.instrumentId, principal.tenantId) === undefined)
  )
    return denied(ERRORS.unknownChannel)
  if (meant.kind !== "venueTicker" && rules.instruments.delistingFault(meant.instrumentId) !== undefined)
    return denied(ERRORS.delisted)
  return served(rules, meant, request.type)
}

type MarketChannel = Extract<Channel, { readonly venue: VenueId }>

/** The channel under the venue's own identifier, where the client used an alias of it; the client's name for it stays. */
const atVenue = (channel: MarketChannel, venue: VenueId): MarketChannel => {
  if (channel.venue === venue) return channel
  if (channel.kind === "venueTicker") return { ...channel, venue }
  const symbol = channel.instrumentId.slice(channel.venue.length + 1)
  return { ...channel, venue, instrumentId: instrumentIdOf(venue, symbol) }
}

/** At INTERNAL the channel of a venue's tickers is each tenant's own, by either of its names; another tenant's is not there. */
const asSeenBy = (viewer: TenantId, channel: MarketChannel): MarketChannel | undefined => {
  if (channel.kind !== "venueTicker" || channel.venue !== INTERNAL) return channel
  return channel.tenantId === null || channel.tenantId === viewer ? { ...channel, tenantId: viewer } : undefined
}

/** In a namespace of ours, but not of printable ASCII alone (realtime A.5). */
const isMalformed = (name: string): boolean => /^(tradingAccount|market):/.test(name) && !/^[ -~]*$/.test(name)

/** With the code of the reference; only who may have the channel is told what it is. */
const wrongType = (words: string): Access => denied({ code: ERRORS.permissionDenied.code, message: words })
const IS_MAP = wrongType("this channel is a map: subscribe to it as one (newMapSubscription, type 1)")
const IS_STREAM = wrongType("this channel is a stream, not a map: subscribe to it as one (newSubscription, type 0)")

/** As a stream or as a map, whichever the channel is. */
const served = (rules: AccessRules, channel: Channel, type: number): Access => {
  const found = type === 0 ? streamOf(rules, channel) : type === 1 ? rules.mapOf(channel) : undefined
  if (found === undefined) return type === 0 ? IS_MAP : type === 1 ? IS_STREAM : denied(ERRORS.permissionDenied)
  return { _tag: "Granted", served: found, expiresAt: null, info: null }
}

const streamOf = ({ kinds, source }: AccessRules, channel: Channel): Served | undefined => {
  if (channel.kind === "accountOrders" || channel.kind === "accountPositions") return undefined
  return { canonical: canonicalName(channel), settings: kinds[channel.kind], source: source(channel.kind) }
}
