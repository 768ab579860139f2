/** Order book subscriptions: the record in the store, and a hold that keeps the book's feed open. */
import { Effect } from "effect"
import type { InstrumentDirectory } from "../../actors/market/instrument-directory.ts"
import type { Markets } from "../../actors/market/messages.ts"
import { ConflictingParameters, MissingParameter } from "../../domain/errors/request.ts"
import { AccountDisconnected } from "../../domain/errors/trading-account.ts"
import type { InstrumentId, SubscriptionId, TradingAccountId } from "../../domain/ids.ts"
import { parseInstrumentId } from "../../domain/instrument/instrument.ts"
import type { SubscriptionRecord } from "../../domain/market/market.ts"
import type { Principal } from "../../domain/user/user.ts"
import { dateTime, dateTimeOrNull } from "../../foundation/time.ts"
import type { Subscription, SubscriptionRef, Subscriptions } from "../../store/orders/subscriptions.ts"
import { seenThrough } from "../../store/postgres/storage-failure.ts"
import { type AccountReach, accountOf, listedUser } from "../account-access.ts"
import { type Handlers, isFailure, relayed } from "../edge/route.ts"
import type { FindInstrument } from "../market/instrument-lookup.ts"
import type { VenueGate } from "../venue-gate.ts"
import type { SubscriptionApi } from "./endpoints.ts"

export interface SubscriptionParts {
  readonly subscriptions: Subscriptions
  readonly markets: Markets["Type"]
  readonly instruments: Pick<InstrumentDirectory, "hides" | "delistingFault">
  readonly reach: AccountReach
  readonly find: FindInstrument
  readonly gate: VenueGate
  readonly now: () => number
  readonly uuid: () => string
}

/** ACTIVE ones of a user (contract C14a). */
const LIMIT = 200

export const subscriptionHandlers = (parts: SubscriptionParts): Handlers<typeof SubscriptionApi> => {
  const { subscriptions, markets, instruments, reach, find, gate, now, uuid } = parts

  const record = (s: Subscription, { tenantId }: Principal): SubscriptionRecord => {
    const lastEventAt = instruments.hides(s.instrumentId, tenantId) ? null : markets.lastUpdateAt(s.instrumentId)
    return {
      subscriptionId: s.subscriptionId,
      venue: s.venue,
      tradingAccountId: s.tradingAccountId,
      instrumentId: s.instrumentId,
      subscriptionType: "MARKET.SUBSCRIPTION.ORDERBOOK",
      status: s.status,
      createdAt: s.createdAt,
      createdAtDateTime: dateTime(s.createdAt),
      updatedAt: s.updatedAt,
      updatedAtDateTime: dateTime(s.updatedAt),
      lastEventTimestamp: lastEventAt,
      lastEventTimestampDateTime: dateTimeOrNull(lastEventAt),
    }
  }

  return {
    subscribe: ({ body, principal }, reply) => {
      const account = body.tradingAccountId ? accountOf(reach, principal, body.tradingAccountId, "write") : undefined
      if (account !== undefined && isFailure(account)) return reply.fail(account)
      if (account?.status === "DISCONNECTED") return reply.fail(new AccountDisconnected())
      const venue = parseInstrumentId(gate.canonicalInstrumentId(body.instrumentId))?.venue
      if (account !== undefined && venue !== undefined && venue !== account.venue)
        return reply.fail(new ConflictingParameters({ parameters: ["instrumentId", "tradingAccountId"] }))
      const found = find(body.instrumentId, principal)
      const lookup = "instrument" in found ? Effect.succeed(found) : found
      return lookup.pipe(
        Effect.tap(({ instrument }) => instruments.delistingFault(instrument.instrumentId) ?? Effect.void),
        Effect.flatMap(({ instrument, headers }) =>
          subscriptions
            .subscribe({
              subscriptionId: uuid() as SubscriptionId,
              userId: principal.userId,
              tenantId: principal.tenantId,
              instrumentId: instrument.instrumentId,
              venue: instrument.venue,
              tradingAccountId: account?.tradingAccountId ?? null,
              at: now(),
              limit: LIMIT,
            })
            .pipe(
              Effect.tap(({ instrumentId, subscriptionId }) => markets.hold(instrumentId, subscriptionId)),
              (subscribed) => seenThrough(subscribed),
              Effect.map((subscription) => reply.ok(record(subscription, principal), { headers })),
            ),
        ),
      )
    },

    unsubscribe: ({ body, principal }, reply) => {
      const { userId, tenantId } = principal
      const at = now()
      let ref: SubscriptionRef
      if (body.subscriptionId)
        ref = { userId, tenantId, at, subscriptionId: body.subscriptionId.toLowerCase() as SubscriptionId }
      else if (body.instrumentId)
        ref = {
          userId,
          tenantId,
          at,
          instrumentId: gate.canonicalInstrumentId(body.instrumentId) as InstrumentId,
          tradingAccountId: (body.tradingAccountId?.toLowerCase() as TradingAccountId | undefined) ?? null,
        }
      else return reply.fail(new MissingParameter({ parameter: "subscriptionId" }))
      return subscriptions.unsubscribe(ref).pipe(
        Effect.tap(({ instrumentId, subscriptionId }) => markets.release(instrumentId, subscriptionId)),
        (ended) => seenThrough(ended),
        Effect.map((ended) =>
          reply.ok(record(ended, principal), {
            headers: gate.headersFor(body.instrumentId ? [body.instrumentId] : []),
          }),
        ),
      )
    },

    list: ({ query, principal }, reply) => {
      const listed = listedUser(principal, query.userId?.toLowerCase())
      if (typeof listed !== "string") return reply.fail(listed)
      // One's own are told from every tenant: an ACTIVE one holds a feed open, and may be ended from anywhere.
      const isOwn = listed === principal.userId
      const instrumentId = query.instrumentId
        ? (gate.canonicalInstrumentId(query.instrumentId) as InstrumentId)
        : undefined
      return relayed(
        Effect.map(subscriptions.list(listed, instrumentId), (list) =>
          reply.ok(
            list.filter((it) => isOwn || it.tenantId === principal.tenantId).map((it) => record(it, principal)),
            { headers: gate.headersFor(query.instrumentId ? [query.instrumentId] : []) },
          ),
        ),
        reply,
      )
    },
  }
}
