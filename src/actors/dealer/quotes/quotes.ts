/**
 * A request for a quote (contract C8): key, limits, price, risk, then one request to the ledger that stores the quote and reserves what it
 * commits. The one thing to know: a refusal by a rule of the dealer is a REJECTED quote, stored and answered like any other.
 */

import { quotesHalted } from "../../../domain/account/trading-mode.ts"
import type { FirmQuote, Quote, QuoteRejectReason } from "../../../domain/dealer/quote.ts"
import { type AskedQuote, expireAtOf } from "../../../domain/dealer/quote-request.ts"
import { DealerArchived, DealerPaused } from "../../../domain/errors/dealer.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { QuoteRateLimited } from "../../../domain/errors/limits.ts"
import { QuantityAboveMaximum, QuantityBelowMinimum } from "../../../domain/errors/order-parameters.ts"
import {
  AssetNotQuoted,
  DealerCannotQuote,
  InvalidQuoteTime,
  QuoteRequestReused,
} from "../../../domain/errors/quote.ts"
import { Busy, StorageUnavailable } from "../../../domain/errors/service.ts"
import type { InstrumentId, QuoteId, UserId } from "../../../domain/ids.ts"
import { quantityStep } from "../../../domain/instrument/instrument.ts"
import { ORDER_LIMITS } from "../../../domain/order/rates.ts"
import type { Reply } from "../../../domain/reply.ts"
import { isWritableAmount } from "../../../domain/wallet/wallet.ts"
import type { TokenBucket } from "../../../foundation/token-bucket.ts"
import { onceOrAfter } from "../../../kernel/behaviour.ts"
import { quoteCreatedFact } from "../../../ports/dealer-store.ts"
import type { LedgerOutcome, Transfer } from "../../../ports/ledger-port.ts"
import type { DealerCore } from "../core.ts"
import type { RequestQuote } from "../messages.ts"
import { mixingFault, noPlaceReason, tellIgnoredFor, tellUnpriced } from "../places.ts"
import { isTooRisky, mayAwait, type ValuationBooks, valuationBooks } from "../valuation.ts"
import { type Funds, isCovered, readFunds, uncoveredFault } from "./cover.ts"
import { newsOf } from "./news.ts"
import { liveQuote } from "./open-quotes.ts"
import {
  ageOf,
  inLine,
  isKnownToItsEnd,
  isOld,
  limitFault,
  priceNow,
  profileOf,
  type Source,
  sizeFault,
  sourcesOf,
  termsOfTrade,
} from "./pricing.ts"
import type { KnownRequest } from "./requests.ts"
import { reservation } from "./transfers.ts"

/** A first request for a pair waits so long for a book. */
const BOOK_WAIT_MILLIS = 3_000
/** One for a pair that is quiet so long for the venue's word that it is. */
const CONFIRM_WAIT_MILLIS = 1_000

/** What a request has waited for so far: the first books of its pair, the venues' word on those that are quiet, the balances. */
interface Known {
  readonly funds: Funds | null
  readonly isBooked: boolean
  readonly isConfirmed: boolean
}

const NOTHING_YET: Known = { funds: null, isBooked: false, isConfirmed: false }

export const requestQuote = (core: DealerCore, message: RequestQuote, so: Known = NOTHING_YET): void => {
  const { asked, reply } = message
  const known = core.requests.find(asked.traderAccountId, asked.quoteRequestId)
  if (known !== undefined) {
    replay(core, message, known)
    return
  }
  // The rate once per request: one that has waited for something has been counted.
  const refusal =
    refusalOf(core) ?? (so === NOTHING_YET ? rateFault(core, asked.userId) : undefined) ?? capFault(core, asked)
  if (refusal !== undefined) {
    // The request may be one of long ago, whose quote is over.
    replayOr(core, message, () => reply.fail(refusal))
    return
  }
  const fail = (error: DomainError): void => replayOr(core, message, () => reply.fail(error))
  const { baseCurrencies } = core.dealer
  if (!baseCurrencies.includes(asked.baseAsset) && !baseCurrencies.includes(asked.quoteAsset))
    return fail(new AssetNotQuoted({ baseCurrencies: [...baseCurrencies] }))
  const inForce = profileOf(core, asked.pricingProfileId)
  if ("_tag" in inForce) return fail(inForce)
  tellIgnoredFor(core, asked)
  const mixing = mixingFault(core.parts, core.dealer, core.hedging.venuesOwing())
  if (mixing !== undefined) {
    tellUnpriced(core, mixing)
    return fail(new DealerCannotQuote({ reason: "VENUE_NOT_ALLOWED" }))
  }
  const sources = sourcesOf(core, asked, asked.traderAccountId)
  if (sources.length === 0)
    return fail(new DealerCannotQuote({ reason: noPlaceReason(core.parts, core.dealer, asked) }))
  const valuing = valuationBooks(core, asked.baseAsset)
  core.following.keep([sources, ...valuing.map(({ books }) => books)].flat().map((source) => source.instrument))
  const instrument = termsOfTrade(core, asked, sources)
  const fault = sizeFault(asked, instrument)
  if (fault !== null) return fail(fault)
  const { isBooked, isConfirmed } = so
  const silent = valuing.filter(({ books }) => isMissing(core, books))
  const missing = isBooked ? [] : [...(isMissing(core, sources) ? [sources] : []), ...awaitable(core, silent)]
  if (missing.length > 0) {
    const { readBook } = core.parts.markets
    const ask: Ask = (instrumentId, reply) => readBook(instrumentId, 1, reply)
    whenAny(core, missing, ask, Math.min(BOOK_WAIT_MILLIS, leftOf(core, asked)), () => {
      waitedInVain(core, silent, isMissing)
      requestQuote(core, message, { ...so, isBooked: true })
    })
    return
  }
  const unconfirmed = valuing.filter(({ books }) => isQuiet(core, books))
  const quiet = isConfirmed ? [] : [...(isQuiet(core, sources) ? [sources] : []), ...awaitable(core, unconfirmed)]
  const { confirmBook } = core.parts.markets
  // Those beside a fresh one are not waited for; they count again from the next request on.
  if (!isConfirmed)
    for (const source of [sources, ...valuing.map(({ books }) => books)].flat())
      if (isOld(core, source) && !quiet.some((books) => books.includes(source)))
        confirmBook(source.instrument.instrumentId, NOBODY)
  if (quiet.length > 0) {
    whenAny(core, quiet, confirmBook, Math.min(CONFIRM_WAIT_MILLIS, leftOf(core, asked)), () => {
      waitedInVain(core, unconfirmed, isQuiet)
      requestQuote(core, message, { ...so, isBooked: true, isConfirmed: true })
    })
    return
  }
  const { funds } = so
  if (funds === null) {
    core.self.fork(readFunds(core, asked), (exit) => {
      if (exit._tag === "Success") requestQuote(core, message, { funds: exit.value, isBooked: true, isConfirmed })
      else reply.fail(new StorageUnavailable())
    })
    return
  }
  const now = core.parts.clock.now()
  const expireAt = expireAtOf(asked.expiry, now)
  // It would have expired before its client received it, and would reserve funds until the next sweep.
  if (expireAt <= now) return fail(new InvalidQuoteTime({ reason: "expireAt passed before there was a price" }))
  const { profile, profileId } = inForce
  const priced = priceNow(core, asked, inLine(core, sources), profile, instrument, now)
  const plain: Quote = {
    quoteId: core.parts.ids.uuid() as QuoteId,
    tenantId: core.dealer.tenantId,
    version: 1,
    quoteRequestId: asked.quoteRequestId,
    fingerprint: asked.quoteRequestId === null ? null : asked.fingerprint,
    dealerAccountId: core.id,
    traderAccountId: asked.traderAccountId,
    traderUserId: asked.userId,
    dealerWalletId: core.dealer.walletId,
    traderWalletId: asked.traderWalletId,
    instrumentId: asked.instrumentId,
    baseAsset: asked.baseAsset,
    quoteAsset: asked.quoteAsset,
    orderSide: asked.orderSide,
    quantityType: asked.size.quantityType,
    quantity: asked.size.quantityType === "BASE" ? asked.size.quantity : null,
    quoteQuantity: asked.size.quantityType === "QUOTE" ? asked.size.quoteQuantity : null,
    price: null,
    status: "CREATED",
    rejectReason: null,
    pricingProfileId: profileId,
    receipt: null,
    tradeOrderId: null,
    createdAt: now,
    updatedAt: now,
    expireAt,
  }
  if (priced === null) return fail(new QuantityBelowMinimum({ minQuantity: quantityStep(instrument).toString() }))
  if (priced === undefined) {
    const isKnown = isKnownToItsEnd(core, asked.orderSide, sources)
    return reject(core, message, plain, isKnown ? "INSUFFICIENT_LIQUIDITY" : "BEYOND_COVERED_RANGE")
  }
  const { price, quantity, receipt } = priced
  const beyond = limitFault(quantity, instrument)
  if (beyond !== null) return fail(beyond)
  const cost = price.multiply(quantity)
  if (!isWritableAmount(cost)) return fail(new QuantityAboveMaximum({ maxQuantity: quantity.toString() }))
  const quote: FirmQuote = { ...plain, quantity, quoteQuantity: plain.quoteQuantity ?? cost, price, receipt }
  if (profile.maxNotional?.lessThan(cost) || profile.minNotional?.greaterThan(cost))
    return reject(core, message, plain, "NOTIONAL_LIMIT")
  if (isTooRisky(core, quote)) return reject(core, message, plain, "RISK_LIMIT")
  const covered = isCovered(core, quote, funds)
  const uncovered = covered ? undefined : uncoveredFault(core, quote, funds, openQuotesMaxOf(core))
  if (typeof uncovered === "string") return reject(core, message, plain, uncovered)
  if (uncovered !== undefined) return fail(uncovered)
  offer(core, message, quote, plain, covered)
}

/** Of what values the dealer's exposure, the books that a request waits for. */
const awaitable = (core: DealerCore, silent: ReadonlyArray<ValuationBooks>): ReadonlyArray<ReadonlyArray<Source>> =>
  silent.filter(({ asset }) => mayAwait(core, asset)).map(({ books }) => books)

/** What has not come although it was waited for is not waited for again so soon. */
const waitedInVain = (
  core: DealerCore,
  waited: ReadonlyArray<ValuationBooks>,
  isAway: (core: DealerCore, books: ReadonlyArray<Source>) => boolean,
): void => {
  const now = core.parts.clock.monotonic()
  for (const { asset, books } of waited)
    if (mayAwait(core, asset) && isAway(core, books)) core.silentSince.set(asset, now)
}

const refusalOf = (core: DealerCore): DomainError | undefined => {
  const { status } = core.dealer
  if (status === "PAUSED") return new DealerPaused()
  if (status === "ARCHIVED") return new DealerArchived()
  const halted = quotesHalted(core.parts.mode.current())
  if (halted !== undefined) return halted
  return core.parts.ledger.pressure() === "full" ? new Busy({ retryAfterSeconds: 1 }) : undefined
}

const taken = (name: QuoteRateLimited["bucket"], bucket: TokenBucket, now: number): QuoteRateLimited | undefined => {
  const wait = bucket.take(now)
  if (wait === 0) return undefined
  return new QuoteRateLimited({ bucket: name, ...bucket.state(now), retryAfterSeconds: Math.ceil(wait / 1_000) })
}

/** From the user's bucket at this dealer and from that of all dealers, or from neither. */
const rateFault = ({ id, parts: { rates, clock } }: DealerCore, user: UserId): QuoteRateLimited | undefined => {
  if (rates === null) return undefined
  const now = clock.monotonic()
  const own = rates.quotesOf(user, id, now)
  const refused = taken("quoteRequest", own, now)
  if (refused !== undefined) return refused
  const refusedOfAll = taken("quoteRequestUser", rates.allQuotesOf(user, now), now)
  if (refusedOfAll !== undefined) own.giveBack(now)
  return refusedOfAll
}

/** Where no rates are limited these are all the same: each firm quote holds funds. */
const capsOf = ({ parts }: DealerCore) => parts.rates?.limits ?? ORDER_LIMITS

const openQuotesMaxOf = (core: DealerCore): number => {
  const { openQuotes } = capsOf(core)
  return Math.min(openQuotes, core.dealer.config.openQuotesMax ?? openQuotes)
}

/** Too many are outstanding: of the dealer, of the user, of the account. */
const capFault = (core: DealerCore, { userId, traderAccountId }: AskedQuote): QuoteRateLimited | undefined => {
  const { openQuotesPerUser, openQuotesPerClient } = capsOf(core)
  const { openQuotesPerUserMax, openQuotesPerClientMax } = core.dealer.config
  const caps = [
    [core.quotes.size, openQuotesMaxOf(core)],
    [core.quotes.countOfUser(userId), Math.min(openQuotesPerUser, openQuotesPerUserMax ?? openQuotesPerUser)],
    [
      core.quotes.countOf(traderAccountId),
      Math.min(openQuotesPerClient, openQuotesPerClientMax ?? openQuotesPerClient),
    ],
  ] as const
  const limit = caps.find(([count, most]) => count >= most)?.[1]
  if (limit === undefined) return undefined
  return new QuoteRateLimited({ bucket: "openQuotes", limit, remaining: 0, resetMs: 1_000, retryAfterSeconds: 1 })
}

/** Until the quote would be over, ms; of one that binds for so long from its making, however late that is: no end. */
const leftOf = ({ parts }: DealerCore, { expiry }: Pick<AskedQuote, "expiry">): number =>
  "expireAt" in expiry ? Math.max(0, expiry.expireAt - parts.clock.now()) : Number.POSITIVE_INFINITY

/** None of these books has come yet. */
const isMissing = ({ parts }: DealerCore, books: ReadonlyArray<Source>): boolean =>
  books.length > 0 && books.every(({ instrument }) => parts.markets.bookAge(instrument.instrumentId) === null)

/** There is a book, and none of them is fresh: it has not moved, or its connection is dead. The venue knows which. */
const isQuiet = (core: DealerCore, books: ReadonlyArray<Source>): boolean =>
  books.some((source) => isOld(core, source)) && books.every((source) => ageOf(core, source) === null)

const NOBODY: Reply<void, DomainError> = { ok: () => undefined, fail: () => undefined }

type Ask = (instrumentId: InstrumentId, reply: Reply<unknown, DomainError>) => void

/** Of each group the first book of which the answer comes, or none in time. */
const whenAny = (
  core: DealerCore,
  groups: ReadonlyArray<ReadonlyArray<Source>>,
  ask: Ask,
  patience: number,
  run: () => void,
): void => {
  const once = onceOrAfter(core.self, patience, run)
  const waiting = new Set(groups)
  for (const group of groups) {
    let left = group.length
    const decided = (): void => {
      waiting.delete(group)
      if (waiting.size === 0) once()
    }
    const ok = core.self.turn(decided)
    const fail = core.self.turn(() => {
      left--
      if (left === 0) decided()
    })
    for (const { instrument } of group) ask(instrument.instrumentId, { ok, fail })
  }
}

/** Stored together with the reservation of what it promises; answered from the commit. */
const offer = (core: DealerCore, message: RequestQuote, quote: FirmQuote, plain: Quote, isCovered: boolean): void => {
  const live = liveQuote(quote, { isCovered })
  core.quotes.add(live)
  store(core, message, quote, [reservation(quote)], (outcome) => {
    if (outcome._tag === "Applied") {
      live.stored = true
      core.parts.quoteOpened(quote)
      core.watchExpiry(live)
      return true
    }
    core.quotes.remove(quote.quoteId)
    if (outcome.at > 0) return false
    const { failure } = outcome
    if (failure._tag === "InsufficientBalance") reject(core, message, plain, "INSUFFICIENT_INVENTORY")
    else if (failure._tag === "WalletFrozen") whoseFreeze(core, message, plain, failure)
    else message.reply.fail(failure)
    return true
  })
}

/** A dealer whose wallet is frozen has nothing to deliver; a client whose wallet is frozen is told so. */
const whoseFreeze = (core: DealerCore, message: RequestQuote, plain: Quote, failure: DomainError): void => {
  core.self.fork(core.parts.ledger.wallet(plain.traderWalletId), (exit) => {
    const isOwn = exit._tag === "Success" && exit.value?.status === "ACTIVE"
    if (isOwn) reject(core, message, plain, "INSUFFICIENT_INVENTORY")
    else message.reply.fail(failure)
  })
}

const reject = (core: DealerCore, message: RequestQuote, plain: Quote, rejectReason: QuoteRejectReason): void => {
  const quote: Quote = { ...plain, status: "REJECTED", rejectReason }
  store(core, message, quote, [], (outcome) => outcome._tag === "Applied")
}

/** `done`: whether the outcome was dealt with; else the caller is told, by the quote that the request has already if that is why. */
const store = (
  core: DealerCore,
  message: RequestQuote,
  quote: Quote,
  transfers: ReadonlyArray<Transfer>,
  done: (outcome: LedgerOutcome) => boolean,
): void => {
  const { reply } = message
  const news = newsOf(core, quote, quote.createdAt)
  const known = core.requests.begin(quote)
  core.parts.failpoint.hit("quote.handedToLedger")
  core.post({ transfers, facts: [quoteCreatedFact(quote, news)] }, news, (outcome) => {
    const isDone = done(outcome)
    if (outcome._tag === "Applied") {
      core.parts.failpoint.hit("quote.committed")
      reply.ok({ quote, replayed: false })
    } else if (!isDone) replayOr(core, message, () => reply.fail(outcome.failure))
    core.requests.end(known, outcome._tag === "Applied")
  })
}

/** The quote that the key has, in its present state. */
const replay = (core: DealerCore, message: RequestQuote, known: KnownRequest): void => {
  const { asked, reply } = message
  if (known.waiting !== null) {
    known.waiting.push(() => requestQuote(core, message))
    return
  }
  const { quoteId, fingerprint } = known
  const answer = (quote: Quote): void => {
    if (fingerprint === asked.fingerprint) reply.ok({ quote, replayed: true })
    else reply.fail(new QuoteRequestReused({ quoteId }))
  }
  const live = core.quotes.get(quoteId)
  if (live !== undefined) return answer(live.quote)
  // Whether the key is taken the row says, whatever was asked for with it: it goes before memory does.
  core.self.fork(core.parts.store.findQuote(quoteId), (exit) => {
    if (exit._tag === "Failure") reply.fail(new StorageUnavailable())
    else if (exit.value !== null) answer(exit.value)
    else {
      // Over for so long that it is not kept any more: the request is a new one.
      core.requests.forget(known)
      requestQuote(core, message)
    }
  })
}

/** A key that memory does not know may be one of long ago: the store says. */
const replayOr = (core: DealerCore, message: RequestQuote, run: () => void): void => {
  const { asked, reply } = message
  const { traderAccountId, quoteRequestId } = asked
  if (quoteRequestId === null) {
    run()
    return
  }
  const key = { dealerAccountId: core.id, traderAccountId, quoteRequestId }
  core.self.fork(core.parts.store.findRequested(key), (exit) => {
    const found = exit._tag === "Success" ? exit.value : null
    if (found === null) run()
    else if (found.fingerprint !== asked.fingerprint) reply.fail(new QuoteRequestReused({ quoteId: found.quoteId }))
    else reply.ok({ quote: found, replayed: true })
  })
}
