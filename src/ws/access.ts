/** Who may subscribe to what (realtime B): synchronous, from the directories and the live session. */
import type { AccountDirectory } from "../actors/account-directory.ts"
import type { InstrumentDirectory } from "../actors/instrument-directory.ts"
import {
  accountChannel,
  bookChannel,
  type Channel,
  parseChannel,
  tickerChannel,
  tradeChannel,
  venueTickerChannel,
} from "../domain/channel.ts"
import type { VenueId } from "../domain/ids.ts"
import type { Principal } from "../domain/user.ts"
import type { Venue } from "../domain/venue.ts"
import { ERRORS, type ProtocolError } from "./error-codes.ts"

export interface AccessRules {
  readonly accounts: AccountDirectory
  readonly instruments: InstrumentDirectory
  readonly findVenue: (venue: string) => Venue | undefined
}

export type Access =
  | { readonly _tag: "Granted"; readonly channel: Channel; readonly canonical: string }
  | { readonly _tag: "Denied"; readonly error: ProtocolError }
  /** Nothing is known of the venue's instruments yet: learn them, then ask again. */
  | { readonly _tag: "InstrumentsMissing"; readonly venue: VenueId }

const denied = (error: ProtocolError): Access => ({ _tag: "Denied", error })

export const canonicalName = (channel: Channel): string => {
  switch (channel.kind) {
    case "tradingAccount":
      return accountChannel(channel.tradingAccountId)
    case "orderbook":
      return bookChannel(channel.instrumentId)
    case "ticker":
      return tickerChannel(channel.instrumentId)
    case "trade":
      return tradeChannel(channel.instrumentId)
    case "venueTicker":
      return venueTickerChannel(channel.venue)
  }
}

export const access = (rules: AccessRules, principal: Principal, name: string): Access => {
  if (name.length > 255) return denied(ERRORS.badRequest)
  const channel = parseChannel(name)
  if (channel === undefined) return denied(ERRORS.unknownChannel)
  if (!principal.permissions.includes("read")) return denied(ERRORS.permissionDenied)
  const granted: Access = { _tag: "Granted", channel, canonical: canonicalName(channel) }
  if (channel.kind === "tradingAccount") {
    const account = rules.accounts.find(channel.tradingAccountId)
    const mine =
      account !== undefined &&
      account.tenantId === principal.tenantId &&
      account.status !== "DISCONNECTED" &&
      (account.userId === principal.userId || principal.permissions.includes("admin"))
    // An account that is not there and one of somebody else look the same.
    return mine ? granted : denied(ERRORS.permissionDenied)
  }
  const venue = rules.findVenue(channel.venue)
  if (venue === undefined || venue.status !== "ACTIVE") return denied(ERRORS.unknownChannel)
  if (channel.venue.endsWith("_UAT") && !principal.environments.includes("UAT")) return denied(ERRORS.permissionDenied)
  if (!rules.instruments.knows(channel.venue)) return { _tag: "InstrumentsMissing", venue: channel.venue }
  if (channel.kind === "venueTicker") return granted
  return rules.instruments.find(channel.instrumentId) === undefined ? denied(ERRORS.unknownChannel) : granted
}
