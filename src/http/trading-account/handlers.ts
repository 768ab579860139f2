/** Passes account operations on to the account's actor; lists come from the directory. */

import { Effect } from "effect"
import type { TradingAccounts } from "../../actors/account/messages.ts"
import {
  type Position,
  positionRecord,
  type TradingAccount,
  type TradingAccountRecord,
  tradingAccountRecord,
} from "../../domain/account/trading-account.ts"
import { TenantForbidden } from "../../domain/errors/authorisation.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { AccountUnsupported } from "../../domain/errors/trading-account.ts"
import type { DealerAccountId, TradingAccountId } from "../../domain/ids.ts"
import type { Reply } from "../../domain/reply.ts"
import {
  type AccountReach,
  accountOf,
  accountsOf,
  actorOf,
  listedAccounts,
  listedUser,
  ownedBy,
} from "../account-access.ts"
import { type Handlers, type HttpReply, isFailure, relayed } from "../edge/route.ts"
import { REPLAYED } from "../limits/idempotency.ts"
import { type Cursors, pageOf, sortedBy, timeKey } from "../pagination.ts"
import type { VenueGate } from "../venue-gate.ts"
import { accountAct, type ConnectParts, makeConnect } from "./connect.ts"
import type { TradingAccountApi } from "./endpoints.ts"

/**
 * Holdings of several accounts, requested from their actors in parallel: one that cannot answer fails the whole list, so none is left
 * out silently.
 */
const readPortfolios = (
  tradingAccounts: TradingAccounts["Type"],
  accounts: ReadonlyArray<TradingAccount>,
  currency: string | null,
  reply: Reply<ReadonlyArray<Position>, DomainError>,
): void => {
  let waiting = accounts.length
  if (waiting === 0) reply.ok([])
  const positions: Array<Position> = []
  for (const account of accounts)
    tradingAccounts.post(account.tradingAccountId, {
      _tag: "ReadPortfolio",
      currency,
      reply: {
        ok: (held) => {
          positions.push(...held)
          waiting--
          if (waiting === 0) reply.ok(positions)
        },
        fail: reply.fail,
      },
    })
}

interface TradingAccountParts extends ConnectParts {
  readonly gate: VenueGate
  readonly cursors: Cursors
  readonly reach: AccountReach
  /** The account that a dealer delivers from, unless the dealer is archived. */
  readonly isDealersOwn: (id: TradingAccountId) => boolean
}

const answering = (reply: HttpReply<TradingAccountRecord, never>) => ({
  ok: (account: TradingAccount) => reply.ok(tradingAccountRecord(account)),
  fail: reply.relay,
})

export const tradingAccountHandlers = (parts: TradingAccountParts): Handlers<typeof TradingAccountApi> => {
  const { gate, cursors, accounts, reach, tradingAccounts } = parts
  const connect = makeConnect(parts)
  return {
    connect: ({ body, principal, request: facts, claim }, reply) => {
      const named = gate.resolve(body.venue, principal)
      if (isFailure(named)) return reply.fail(named)
      const request = {
        principal,
        actor: actorOf(facts, principal),
        venue: named.venue,
        credentialIds: [...new Set(body.credentialIds ?? [])],
        externalTradingAccountId: body.externalTradingAccountId ?? null,
        dealerAccountId: (body.dealerAccountId?.toLowerCase() ?? null) as DealerAccountId | null,
        nickname: body.nickname ?? null,
        claim,
      }
      const made = claim && accounts.find(claim.id as TradingAccountId)
      if (made !== undefined)
        return reply.ok(tradingAccountRecord(made), { headers: { ...named.headers, ...REPLAYED } })
      const connected = Effect.map(connect(request), (account) =>
        reply.ok(tradingAccountRecord(account), { headers: named.headers }),
      )
      return relayed(connected, reply)
    },

    update: ({ body, principal }, reply) => {
      const account = accountOf(reach, principal, body.tradingAccountId, "write")
      if (isFailure(account)) return reply.fail(account)
      return tradingAccounts.post(account.tradingAccountId, {
        _tag: "UpdateAccount",
        nickname: body.nickname ?? null,
        attach: [],
        reply: answering(reply),
      })
    },

    list: ({ query, principal }, reply) => {
      const named = gate.filter(query.venue, principal)
      if (named !== undefined && isFailure(named)) return reply.fail(named)
      const plan = cursors.plan({
        scope: `tradingAccount/list:${principal.userId}`,
        filters: {
          tradingAccountId: query.tradingAccountId?.toLowerCase(),
          venue: named?.venue.venue,
          accountStatus: query.accountStatus,
          userId: query.userId?.toLowerCase(),
          tenantId: query.tenantId,
        },
        limit: query.limit ?? 50,
        offset: query.offset ?? 0,
        cursor: query.cursor,
      })
      if (isFailure(plan)) return reply.fail(plan)
      const { tradingAccountId, venue, accountStatus, userId, tenantId } = plan.filters
      if (tenantId !== undefined && tenantId !== principal.tenantId)
        return reply.fail(new TenantForbidden({ tenantId: `${tenantId}` }))
      const listed = listedUser(principal, userId)
      if (typeof listed !== "string") return reply.fail(listed)
      const showsEnded = accountStatus !== undefined || tradingAccountId !== undefined
      const asked =
        userId !== undefined
          ? ownedBy(accounts, principal, listed)
          : typeof tradingAccountId === "string"
            ? [accountOf(reach, principal, tradingAccountId, "read")].flatMap((it) => (isFailure(it) ? [] : [it]))
            : accountsOf(reach, principal)
      const items = asked.filter(
        (it) =>
          it.tenantId === principal.tenantId &&
          (tradingAccountId === undefined || it.tradingAccountId === tradingAccountId) &&
          (venue === undefined || it.venue === venue) &&
          (accountStatus === undefined || it.status === accountStatus) &&
          (showsEnded || it.status !== "DISCONNECTED"),
      )
      const keyOf = (it: TradingAccount): string => timeKey(it.createdAt, it.tradingAccountId)
      const page = pageOf(cursors, plan, sortedBy(items, keyOf, "descending"), keyOf, "descending")
      return reply.ok(page.items.map(tradingAccountRecord), {
        pagination: page.pagination,
        headers: named?.headers ?? {},
      })
    },

    disconnect: ({ body, principal, request }, reply) => {
      const account = accountOf(reach, principal, body.tradingAccountId, "write")
      if (isFailure(account)) return reply.fail(account)
      if (account.status === "DISCONNECTED") return reply.ok(tradingAccountRecord(account))
      if (parts.isDealersOwn(account.tradingAccountId))
        return reply.fail(new AccountUnsupported({ reason: "a dealer uses it to deliver" }))
      const force = body.force ?? false
      const asked = accountAct("account.disconnect", actorOf(request, principal), account, parts.uuid())
      const act = force ? { ...asked, what: `${asked.what}, by force` } : asked
      return tradingAccounts.post(account.tradingAccountId, {
        _tag: "DisconnectAccount",
        force,
        act,
        reply: {
          ok: (disconnected) => {
            parts.acts.told(act, "ok")
            reply.ok(tradingAccountRecord(disconnected))
          },
          fail: (error) => {
            // It goes on all the same.
            parts.acts.told(act, error._tag === "DisconnectIncomplete" ? "ok" : error._tag)
            reply.relay(error)
          },
        },
      })
    },

    portfolioList: ({ query, principal }, reply) => {
      const named = gate.filter(query.venue, principal)
      if (named !== undefined && isFailure(named)) return reply.fail(named)
      const plan = cursors.plan({
        scope: `portfolio/list:${principal.userId}`,
        filters: {
          tradingAccountId: query.tradingAccountId,
          userId: query.userId?.toLowerCase(),
          venue: named?.venue.venue,
          currency: query.currency,
        },
        limit: query.limit ?? 10,
        offset: query.offset ?? 0,
        cursor: query.cursor,
      })
      if (isFailure(plan)) return reply.fail(plan)
      const { venue, currency } = plan.filters
      const listed = listedAccounts(reach, principal, plan.filters)
      if (isFailure(listed)) return reply.fail(listed)
      const asked = listed.filter((it) => it.status !== "DISCONNECTED" && (venue === undefined || it.venue === venue))
      const keyOf = (it: Position): string => `${it.venue}|${it.currency}|${it.tradingAccountId}`
      return readPortfolios(tradingAccounts, asked, typeof currency === "string" ? currency : null, {
        ok: (positions) => {
          const page = pageOf(cursors, plan, sortedBy(positions, keyOf), keyOf)
          reply.ok(page.items.map(positionRecord), { pagination: page.pagination, headers: named?.headers ?? {} })
        },
        fail: (error: DomainError) => reply.relay(error),
      })
    },
  }
}
