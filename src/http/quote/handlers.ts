/** Requests for quotes are addressed here and go to the dealer's actor; reads come from the store, which only knows what is durable. */
import { Effect } from "effect"
import type { AccountDirectory } from "../../actors/account/directory.ts"
import type { DealerDirectory } from "../../actors/dealer/directory.ts"
import type { Dealers } from "../../actors/dealer/messages.ts"
import type { InstrumentDirectory } from "../../actors/market/instrument-directory.ts"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { type Dealer, isDealersSide } from "../../domain/dealer/dealer.ts"
import { type Quote, type QuoteStatus, quoteRecord } from "../../domain/dealer/quote.ts"
import {
  type AskedQuote,
  type QuoteRequest,
  quoteFingerprint,
  quoteTermsOf,
} from "../../domain/dealer/quote-request.ts"
import { AccountForbidden } from "../../domain/errors/authorisation.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InstrumentNotFound } from "../../domain/errors/market.ts"
import { QuoteNotFound } from "../../domain/errors/quote.ts"
import { ConflictingParameters, InvalidCursor, MissingParameter } from "../../domain/errors/request.ts"
import { AccountNotActive, AccountUnsupported } from "../../domain/errors/trading-account.ts"
import type { DealerAccountId, InstrumentId, QuoteId, TradingAccountId } from "../../domain/ids.ts"
import { invalidInstrumentId, parseInstrumentId } from "../../domain/instrument/instrument.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import { type Principal, reaches } from "../../domain/user/user.ts"
import type { DealerRows } from "../../store/dealers/dealers.ts"
import { type AccountReach, accountOf, dealerOf, listedUser, ownedBy } from "../account-access.ts"
import { type Handlers, isFailure } from "../edge/route.ts"
import { type Cursors, timeKey } from "../pagination.ts"
import type { VenueGate } from "../venue-gate.ts"
import type { QuoteApi } from "./endpoints.ts"

export interface QuoteHandlerParts {
  readonly dealers: Dealers["Type"]
  readonly directory: DealerDirectory
  readonly rows: Pick<DealerRows, "findQuote" | "listQuotes">
  readonly accounts: AccountDirectory
  readonly reach: AccountReach
  readonly instruments: InstrumentDirectory
  readonly gate: VenueGate
  readonly defaultTenantId: string
  readonly cursors: Cursors
  readonly now: () => number
}

type Pair = Pick<AskedQuote, "baseAsset" | "quoteAsset">

export const quoteHandlers = (parts: QuoteHandlerParts): Handlers<typeof QuoteApi> => {
  const { dealers, directory, rows, accounts, reach, instruments, gate, cursors, now } = parts

  /** The tenant's market of a pair, or what it would be called: a pair of ours needs no book of ours to be quoted. */
  const marketOf = ({ tenantId }: Principal, { baseAsset, quoteAsset }: Pair): InstrumentId =>
    instruments.ofPair(INTERNAL, `${baseAsset}/${quoteAsset}`, tenantId)?.instrumentId ??
    instruments.nameOf({ baseAsset, quoteAsset }, tenantId, parts.defaultTenantId)

  /** Any name of the pair at a venue of the installation, or its two assets. */
  const pairOf = (principal: Principal, body: QuoteRequest): Pair | DomainError => {
    const { baseAsset, quoteAsset } = body
    const id = body.instrumentId ?? null
    if (id === null) {
      if (!baseAsset) return new MissingParameter({ parameter: quoteAsset ? "baseAsset" : "instrumentId" })
      return quoteAsset ? { baseAsset, quoteAsset } : new MissingParameter({ parameter: "quoteAsset" })
    }
    const canonical = gate.canonicalInstrumentId(id)
    const name = parseInstrumentId(canonical)
    if (name === undefined) return invalidInstrumentId(id)
    const isOther = (own: string, given: string | null | undefined): boolean => Boolean(given) && given !== own
    if (isOther(name.baseAsset, baseAsset))
      return new ConflictingParameters({ parameters: ["instrumentId", "baseAsset"] })
    if (isOther(name.quoteAsset, quoteAsset))
      return new ConflictingParameters({ parameters: ["instrumentId", "quoteAsset"] })
    if (canonical !== marketOf(principal, name) && instruments.find(canonical, principal.tenantId) === undefined)
      return new InstrumentNotFound({ instrumentId: canonical })
    const closed = gate.closedTo(name.venue, principal)
    if (closed !== undefined) return closed
    return { baseAsset: name.baseAsset, quoteAsset: name.quoteAsset }
  }

  /** The named account, else the caller's only one that is ACTIVE at INTERNAL. */
  const traderOf = (principal: Principal, named: string | null, dealer: Dealer): TradingAccount | DomainError => {
    const isClient = ({ dealerAccountId }: TradingAccount): boolean =>
      dealerAccountId === null || dealerAccountId === dealer.dealerAccountId
    if (named === null) {
      const [only, ...others] = ownedBy(accounts, principal, principal.userId).filter(
        (it) =>
          it.venue === INTERNAL && it.status === "ACTIVE" && directory.ofOwnAccount(it.tradingAccountId) === undefined,
      )
      return only === undefined || others.length > 0
        ? new MissingParameter({ parameter: "traderAccountId" })
        : checked(only)
    }
    const account = accountOf(reach, principal, named, "write")
    return isFailure(account) ? account : checked(account)

    function checked(account: TradingAccount): TradingAccount | DomainError {
      if (account.venue !== INTERNAL || account.walletId === null)
        return new AccountUnsupported({ reason: "quotes are for accounts on INTERNAL" })
      // A dealer's own account is no dealer's client.
      if (!isClient(account) || directory.ofOwnAccount(account.tradingAccountId) !== undefined)
        return new AccountForbidden()
      return account.status === "ACTIVE" ? account : new AccountNotActive({ status: account.status })
    }
  }

  const askedOf = (principal: Principal, body: QuoteRequest, dealer: Dealer): AskedQuote | DomainError => {
    const terms = quoteTermsOf(body, now())
    if ("_tag" in terms) return terms
    const pair = pairOf(principal, body)
    if ("_tag" in pair) return pair
    const trader = traderOf(principal, body.traderAccountId ?? null, dealer)
    if (isFailure(trader)) return trader
    const asked = {
      ...terms,
      ...pair,
      userId: principal.userId,
      traderAccountId: trader.tradingAccountId,
      traderWalletId: trader.walletId!,
      instrumentId: marketOf(principal, pair),
      pricingProfileId: body.pricingProfileId ?? null,
      quoteRequestId: body.quoteRequestId ?? null,
    }
    return { ...asked, fingerprint: quoteFingerprint(asked, body) }
  }

  const recordOf = (principal: Principal, quote: Quote) =>
    quoteRecord(quote, isDealersSide(principal, directory.find(quote.dealerAccountId)))

  return {
    request: ({ body, principal }, reply) => {
      const dealer = dealerOf(directory, principal, body.dealerAccountId)
      if (isFailure(dealer)) return reply.fail(dealer)
      const asked = askedOf(principal, body, dealer)
      if ("_tag" in asked) return reply.relay(asked)
      return dealers.post(dealer.dealerAccountId, {
        _tag: "RequestQuote",
        asked,
        reply: {
          ok: ({ quote, replayed }) => {
            const record = recordOf(principal, quote)
            if (replayed) reply.ok(record, { headers: { "Idempotency-Replayed": "true" } })
            else reply.ok(record)
          },
          fail: reply.relay,
        },
      })
    },

    get: ({ query, principal }, reply) =>
      Effect.map(rows.findQuote(query.quoteId.toLowerCase() as QuoteId), (quote) => {
        const isOurs =
          quote !== null &&
          quote.tenantId === principal.tenantId &&
          reaches(principal, quote.traderAccountId) &&
          (quote.traderUserId === principal.userId || isDealersSide(principal, directory.find(quote.dealerAccountId)))
        if (isOurs) reply.ok(recordOf(principal, quote))
        else reply.fail(new QuoteNotFound())
      }),

    list: ({ query, principal }, reply) => {
      const plan = cursors.plan({
        scope: `quote/list:${principal.userId}`,
        filters: {
          dealerAccountId: query.dealerAccountId?.toLowerCase(),
          traderAccountId: query.traderAccountId?.toLowerCase(),
          userId: query.userId?.toLowerCase(),
          status: query.status,
        },
        limit: query.limit ?? 50,
        offset: query.offset ?? 0,
        cursor: query.cursor,
      })
      if (isFailure(plan)) return reply.fail(plan)
      const { dealerAccountId, traderAccountId, userId, status } = plan.filters
      const trader = listedUser(principal, userId)
      if (typeof trader !== "string") return reply.fail(trader)
      const dealer = typeof dealerAccountId === "string" ? dealerOf(directory, principal, dealerAccountId) : undefined
      if (dealer !== undefined && isFailure(dealer)) return reply.fail(dealer)
      const after = plan.after === null ? null : keysetOf(plan.after)
      if (plan.after !== null && after === null) return reply.fail(new InvalidCursor())
      const listed = rows.listQuotes({
        tenantId: principal.tenantId,
        traderUserId: userId === undefined && isDealersSide(principal, dealer) ? null : trader,
        dealerAccountId: (dealerAccountId as DealerAccountId | undefined) ?? null,
        traderAccountId: (traderAccountId as TradingAccountId | undefined) ?? null,
        status: (status as QuoteStatus | undefined) ?? null,
        limit: plan.limit,
        offset: plan.offset,
        after,
        counted: plan.total === null,
      })
      return Effect.map(listed, (page) => {
        const total = plan.total ?? { count: page.total, isLowerBound: page.totalIsLowerBound }
        const last = page.quotes.at(-1)
        const next = page.hasNext && last !== undefined ? timeKey(last.createdAt, last.quoteId) : null
        reply.ok(
          page.quotes.map((quote) => recordOf(principal, quote)),
          { pagination: cursors.pagination(plan, total.count, next, total.isLowerBound) },
        )
      })
    },
  }
}

const keysetOf = (key: string): { readonly createdAt: number; readonly quoteId: QuoteId } | null => {
  const m = /^(\d+)\|([0-9a-f-]{36})$/.exec(key)
  return m === null ? null : { createdAt: Number(m[1]), quoteId: m[2] as QuoteId }
}
