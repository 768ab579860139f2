/**
 * The money side of the composition root: ledger, internal venue, dealers and hedging, in the order in which they start. Reads as a parts list,
 * like src/gateway.ts, which calls it: nothing is decided here.
 */
import { Context, Effect, Layer } from "effect"
import { makeDealerBooks } from "../actors/dealer/books/books.ts"
import { DealersLive } from "../actors/dealer/dealers.ts"
import { DealerDirectory } from "../actors/dealer/directory.ts"
import { makeExchangeMirror } from "../actors/dealer/exchange-mirror/mirror.ts"
import { HedgeDesk, HedgeDeskInForce } from "../actors/dealer/hedging/courier.ts"
import { QuoteDesk, QuoteDeskInForce } from "../actors/dealer/messages.ts"
import { InstrumentDirectory } from "../actors/market/instrument-directory.ts"
import type { Settings } from "../config.ts"
import { Decimal } from "../domain/decimal.ts"
import type { DealerAccountId, TradingAccountId } from "../domain/ids.ts"
import { INTERNAL } from "../domain/order/internal-order.ts"
import type { Notice } from "../foundation/log-line.ts"
import { keepLoop, Troubles } from "../kernel/loop.ts"
import { ledgerLayer } from "../ledger/ledger.ts"
import type { FailpointName } from "../ports/failpoint.ts"
import { dealerStoreLayer } from "../store/dealers/dealer-store-sql.ts"
import { DealerRows } from "../store/dealers/dealers.ts"
import { hedgeStoreLayer } from "../store/dealers/hedge-store-sql.ts"
import { bookStoreLayer } from "../store/ledger/book-store-sql.ts"
import { InternalStoreLive } from "../store/ledger/internal-orders.ts"
import { LedgerJournal } from "../store/ledger/journal.ts"
import { mirrorStoreLayer } from "../store/ledger/mirror-store-sql.ts"
import { Wallets } from "../store/ledger/wallets.ts"
import type { OwnedNode } from "../store/postgres/node.ts"
import { InternalVenue, internalVenue } from "../venues/internal/venue.ts"

export interface MoneyOptions {
  readonly settings: Settings
  readonly url: string
  readonly owner: Pick<OwnedNode, "nodeId" | "epoch" | "enter">
  readonly notice: Notice
  readonly fatal: (reason: string) => void
  readonly hit: (place: FailpointName) => void
}

/** Repositories of the money side: see `repositories` of gateway.ts. */
export const moneyRepositories = Layer.mergeAll(
  Wallets.Default,
  LedgerJournal.Default,
  DealerRows.Default,
  DealerDirectory.Default,
)

/** What needs nothing but the store: built before the venues, one of which is ours. */
export const moneyStores = ({ settings, url, owner, notice, fatal, hit }: MoneyOptions) =>
  ledgerLayer({
    url,
    nodeId: owner.nodeId,
    epoch: owner.epoch,
    enter: owner.enter,
    lost: fatal,
    defect: (error) => notice("a request or a callback of the ledger failed", { error: String(error) }, "error"),
    warn: notice,
    notice,
    expiryMillis: settings.ledgerExpiryMillis,
    auditMillis: settings.ledgerAuditMillis,
    auditMaxAgeMillis: settings.ledgerAuditMaxAgeMillis,
    auditWholeMaxAgeMillis: settings.ledgerAuditWholeMaxAgeMillis,
    ...(settings.failpoint === null
      ? {}
      : {
          handed: () => hit("ledger.handedToWriter"),
          sent: () => hit("ledger.written"),
          committed: () => hit("ledger.committed"),
        }),
  })

const PARTS_OF_BASIS_POINT = Decimal.of("0.0001")

/** The venue of our own: after the directories are filled, before the venues are listed. */
export const internalVenueLayer = ({ settings, notice }: Pick<MoneyOptions, "settings" | "notice">) =>
  Layer.scoped(
    InternalVenue,
    Effect.gen(function* () {
      const rate = (bps: string): Decimal => Decimal.of(bps).multiply(PARTS_OF_BASIS_POINT)
      return yield* internalVenue({
        fees: { makerRate: rate(settings.internalMakerFeeBps), takerRate: rate(settings.internalTakerFeeBps) },
        environment: settings.environment,
        instruments: (yield* InstrumentDirectory).everyTenants(INTERNAL),
        notice,
      })
    }),
  ).pipe(Layer.provide(InternalStoreLive))

/** Where accounts and dealers meet: made for both of them, before either. */
export const moneyDesks = () =>
  Context.make(QuoteDeskInForce, new QuoteDesk()).pipe(Context.add(HedgeDeskInForce, new HedgeDesk()))

/** What the dealers must know before the first of them wakes. */
export const fillDealers = Effect.gen(function* () {
  const directory = yield* DealerDirectory
  for (const dealer of yield* (yield* DealerRows).loadDealers) directory.put(dealer)
})

/** After the accounts, whose desks it serves. */
export const dealersLayer = DealersLive.pipe(Layer.provide(Layer.merge(dealerStoreLayer, hedgeStoreLayer)))

/** Between two of the looks that settle a difference; of a longer pause the loop's own backoff is enough. */
const SETTLING_MILLIS = 5_000

/** The ledger's mirrors of linked accounts follow what these trade. */
export const keepMirrors = ({ settings, notice }: Pick<MoneyOptions, "settings" | "notice">) =>
  Effect.gen(function* () {
    const look = yield* makeExchangeMirror(settings.exchangeShortfalls)
    const troubles = new Troubles<TradingAccountId>((tradingAccountId, error) =>
      notice("a linked account is not mirrored", { tradingAccountId, error }),
    )
    // Three looks on end settle a difference: trouble with one account must not bring the looks at the others closer together.
    const round = Effect.tapErrorCause(troubles.during(look((id, { message }) => troubles.hear(id, message))), () =>
      Effect.sleep(Math.min(settings.exchangeMirrorMillis, SETTLING_MILLIS)),
    )
    yield* keepLoop({ name: "mirrors", pause: settings.exchangeMirrorMillis, round })
  }).pipe(Effect.provide(mirrorStoreLayer))

/** What dealers earn and lose is in their books as soon as the mirrors have it. */
export const keepBooks = ({ settings, notice }: Pick<MoneyOptions, "settings" | "notice">) =>
  Effect.gen(function* () {
    const look = yield* makeDealerBooks
    const troubles = new Troubles<DealerAccountId>((dealerAccountId, error) =>
      notice("the books of a dealer could not be updated", { dealerAccountId, error }, "error"),
    )
    const round = troubles.during(look(troubles.hear))
    yield* keepLoop({ name: "books of dealers", pause: settings.exchangeMirrorMillis, round })
  }).pipe(Effect.provide(bookStoreLayer))
