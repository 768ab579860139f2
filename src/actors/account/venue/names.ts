/**
 * Looks up order ids in the store that memory does not know: all look-ups of one turn are one query, and one query per account is in flight at a
 * time. The one thing to know: "unknown" is as old as the query, so the caller checks memory once more.
 */
import { Effect, Exit } from "effect"
import { isClean } from "../../../domain/clean-text.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../../domain/ids.ts"
import type { Self } from "../../../kernel/behaviour.ts"
import {
  type AskedNames,
  type FoundNames,
  type TradeName,
  tradeKey,
  type VenueOrderName,
  venueOrderKey,
} from "../../../ports/account-store.ts"
import type { VenueFill, VenueSession } from "../../../ports/venue-session.ts"
import type { AccountOrders } from "../order-memory.ts"
import type { AccountParts } from "../parts.ts"

/** Of one query; the rest goes with the next. */
const QUESTIONS_MAX = 1_000

const NOTHING: AskedNames = { tradeOrderIds: [], keys: [], clientOrderIds: [], venueOrders: [], trades: [] }

/** Asked by one caller. */
type SomeNames = Partial<AskedNames>

interface Question {
  readonly asked: SomeNames
  readonly use: (found: FoundNames) => void
}

const together = (questions: ReadonlyArray<Question>): AskedNames => {
  const all = <Name>(of: (asked: SomeNames) => ReadonlyArray<Name> | undefined): ReadonlyArray<Name> =>
    questions.flatMap(({ asked }) => of(asked) ?? [])
  return {
    tradeOrderIds: all((it) => it.tradeOrderIds),
    keys: all((it) => it.keys),
    clientOrderIds: all((it) => it.clientOrderIds),
    venueOrders: all((it) => it.venueOrders),
    trades: all((it) => it.trades),
  }
}

/** The account whose names they are. */
interface Owner {
  readonly id: TradingAccountId
  readonly parts: Pick<AccountParts, "store">
  readonly self: Pick<Self<never>, "fork">
}

export class NameDesk {
  #waiting: Array<Question> = []
  #isAsking = false

  constructor(private readonly owner: Owner) {}

  /** `use` runs in a turn. */
  ask(asked: SomeNames, use: (found: FoundNames) => void): void {
    this.#waiting.push({ asked, use })
    if (!this.#isAsking) this.#next()
  }

  #next(): void {
    this.#isAsking = true
    const { parts, self, id } = this.owner
    let questions: ReadonlyArray<Question> = []
    const answer = Effect.yieldNow().pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          questions = this.#waiting.slice(0, QUESTIONS_MAX)
          this.#waiting = this.#waiting.slice(questions.length)
          return parts.store.names(id, together(questions))
        }),
      ),
    )
    self.fork(answer, (exit) => {
      this.#isAsking = false
      if (this.#waiting.length > 0) this.#next()
      if (Exit.isSuccess(exit)) for (const { use } of questions) use(exit.value)
    })
  }
}

/** As part of slow work. */
export const askNames = ({ parts, id }: Omit<Owner, "self">, asked: SomeNames): Effect.Effect<FoundNames> =>
  parts.store.names(id, { ...NOTHING, ...asked })

type NamedFill = Pick<VenueFill, "tradeOrderId" | "externalOrderId" | "instrumentId" | "orderSide" | "externalTradeId">

/** The names of these trades and of their orders. Of one that could not be stored nothing is known. */
export const namesOf = (fills: ReadonlyArray<NamedFill>): SomeNames => {
  const stored = fills.filter((it) => isName(it.externalOrderId) && isName(it.externalTradeId))
  return {
    tradeOrderIds: stored.flatMap((it) => it.tradeOrderId ?? []),
    venueOrders: stored satisfies ReadonlyArray<VenueOrderName>,
    trades: stored satisfies ReadonlyArray<TradeName>,
  }
}

/** What a row may hold as an id of the venue: see `venueId`. */
export const isName = (text: string): boolean => text !== "" && isClean(text)

/** This account's order of these names; undefined: it has none, whatever the client id looks like. Memory first, then the store's answer. */
export const ownerOf = (
  orders: Pick<AccountOrders, "idAtVenue">,
  it: Pick<VenueFill, "tradeOrderId" | "externalOrderId" | "instrumentId">,
  found: FoundNames,
): TradeOrderId | undefined => {
  const { tradeOrderId } = it
  const known = orders.idAtVenue(it)
  if (known !== undefined) return known
  if (tradeOrderId !== null && found.tradeOrderIds.has(tradeOrderId)) return tradeOrderId
  return found.venueOrders.get(venueOrderKey(it))
}

/** Whose a trade is that is counted, and whose it would be by what the venue calls its order; memory first, then the store's answer. */
export const ownersOf = (orders: Pick<AccountOrders, "idAtVenue" | "ownerOf">, fill: NamedFill, found: FoundNames) => {
  return {
    counted: orders.ownerOf(fill) ?? found.trades.get(tradeKey(fill)),
    named: ownerOf(orders, fill, found),
  }
}

interface Forgetful extends Omit<Owner, "self"> {
  readonly orders: Pick<AccountOrders, "findAtVenue" | "mayBeForgotten" | "own">
}

/**
 * Before trades of a list are applied: of those that memory may have forgotten the store says whose they are, and one that it counts for
 * another order than the list names is that order's from then on.
 */
export const recallTrades = (core: Forgetful, fills: ReadonlyArray<VenueFill>): Effect.Effect<void> =>
  Effect.suspend(() => {
    const unsure = fills.filter(
      (it) => core.orders.mayBeForgotten(it) && isName(it.externalTradeId) && core.orders.findAtVenue(it),
    )
    if (unsure.length === 0) return Effect.void
    return Effect.map(askNames(core, { trades: unsure }), ({ trades }) => {
      for (const fill of unsure) {
        const tradeOrderId = trades.get(tradeKey(fill))
        if (tradeOrderId !== undefined && core.orders.mayBeForgotten(fill)) core.orders.own({ ...fill, tradeOrderId })
      }
    })
  })

export const listedFills = (
  core: Forgetful,
  session: Pick<VenueSession, "fetchFills">,
  since: number,
  instruments: ReadonlyArray<InstrumentId>,
) => Effect.tap(session.fetchFills(since, instruments), (fills) => recallTrades(core, fills))
