/**
 * The internal venue over a real ledger in a real database, with sessions of accounts that are funded as needed. The one thing to know: what
 * is asked of the ledger is recorded, and every report of a session is kept in order.
 */
import { randomUUID } from "node:crypto"
import { Effect, Exit, Layer, Scope } from "effect"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { TradeOrderId, TradingAccountId, UserId } from "../../../src/domain/ids.ts"
import { INTERNAL, internalInstrumentId } from "../../../src/domain/order/internal-order.ts"
import { accountingWallet, type Wallet, type WalletId } from "../../../src/domain/wallet/wallet.ts"
import { clockLive, failpointLive, idsLive } from "../../../src/live.ts"
import { LedgerPort, type LedgerRequest } from "../../../src/ports/ledger-port.ts"
import type { SessionReport, VenueAmend, VenueOrder, VenueSession } from "../../../src/ports/venue-session.ts"
import { InternalStoreLive } from "../../../src/store/ledger/internal-orders.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { type InternalVenueOptions, internalVenue } from "../../../src/venues/internal/venue.ts"
import { instrumentOf } from "../records/instruments.ts"
import { until } from "../servers/gateway.ts"
import { type LedgerRig, openLedgerRig, TENANT } from "./ledger-rig.ts"

export const BTC_USD = instrumentOf(internalInstrumentId("BTC", "USD"), { tenantId: TENANT })

export interface InternalDesk {
  readonly account: TradingAccount
  readonly walletId: WalletId
  readonly session: VenueSession
  readonly reports: ReadonlyArray<SessionReport>
  /** Hands an order over; the answer is its id. */
  readonly submit: (side: "BUY" | "SELL", quantity: string, price: string, more?: Partial<VenueOrder>) => TradeOrderId
  readonly cancel: (tradeOrderId: TradeOrderId) => void
  readonly amend: (tradeOrderId: TradeOrderId, to: VenueAmend) => void
  /** Waits for a report of an order. */
  readonly told: (tradeOrderId: TradeOrderId, tag: SessionReport["_tag"]) => Promise<SessionReport>
}

export interface InternalRig {
  readonly ledger: LedgerRig
  readonly requests: ReadonlyArray<LedgerRequest>
  readonly notices: ReadonlyArray<string>
  readonly desk: (funds: Readonly<Record<string, string>>) => Promise<InternalDesk>
  /** Another session of an account. */
  readonly reopen: (account: TradingAccount) => Promise<InternalDesk>
  /** Open orders of the market as they are stored: quantity left @ price, in queue order. */
  readonly stored: () => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

const idOf = (report: SessionReport): string | null => {
  if ("tradeOrderId" in report) return report.tradeOrderId
  if (report._tag === "Filled") return report.fill.tradeOrderId
  return report._tag === "OrderSeen" ? report.state.tradeOrderId : null
}

export const openInternalRig = async (
  url: string,
  options: Partial<InternalVenueOptions> = {},
): Promise<InternalRig> => {
  const ledger = await openLedgerRig(url, { now: Date.now })
  const { client } = ledger
  const fees = accountingWallet(TENANT, "FEES", 0).walletId
  await client.query(
    "INSERT INTO wallet VALUES ($1, $2, 'ACCOUNTING', 'ACTIVE', false, true, NULL, NULL, '{}', 0, 0) ON CONFLICT DO NOTHING",
    [fees, TENANT],
  )
  const requests: Array<LedgerRequest> = []
  const notices: Array<string> = []
  const walletOf = async (walletId: WalletId): Promise<Wallet | null> => {
    const { rows } = await client.query("SELECT wallet_id, status FROM wallet WHERE wallet_id = $1", [walletId])
    return rows.length === 0 ? null : { ...accountingWallet(TENANT, "WORLD", 0), walletId, status: rows[0].status }
  }
  const port: LedgerPort["Type"] = {
    post: (request) => {
      requests.push(request)
      ledger.writer.post(request)
    },
    balances: () => Effect.succeed([]),
    wallet: (walletId) => Effect.promise(() => walletOf(walletId)),
    openHolds: () => Effect.succeed([]),
    expireHolds: () => Effect.void,
    after: ledger.writer.after,
    watch: () => undefined,
    pressure: ledger.writer.pressure,
  }
  const scope = Effect.runSync(Scope.make())
  const layer = InternalStoreLive.pipe(
    Layer.provideMerge(sqlLayer(url)),
    Layer.merge(Layer.succeed(LedgerPort, port)),
    Layer.merge(Layer.mergeAll(clockLive, idsLive, failpointLive(null))),
  )
  const rates = { makerRate: Decimal.of("0.001"), takerRate: Decimal.of("0.002") }
  const making = internalVenue({
    fees: rates,
    environment: "PROD",
    instruments: [BTC_USD],
    notice: (what) => notices.push(what),
    ...options,
  })
  const { adapter } = await Effect.runPromise(
    Effect.flatMap(Layer.buildWithScope(layer, scope), (context) => Effect.provide(making, context)).pipe(
      Scope.extend(scope),
    ),
  )
  const desk: InternalRig["desk"] = async (funds) => {
    const walletId = await ledger.wallet()
    for (const [asset, amount] of Object.entries(funds)) await ledger.fund(walletId, amount, asset)
    const account: TradingAccount = {
      tradingAccountId: randomUUID() as TradingAccountId,
      tenantId: TENANT,
      userId: randomUUID() as UserId,
      version: 1,
      venue: INTERNAL,
      externalTradingAccountId: walletId,
      nickname: "desk",
      status: "ACTIVE",
      walletId,
      dealerAccountId: null,
      credentials: [],
      initialBalances: [],
      channelEpoch: "rig",
      createdAt: 0,
      updatedAt: 0,
      disconnectedAt: null,
      cancelAllAt: null,
    }
    return reopen(account)
  }
  const reopen: InternalRig["reopen"] = async (account) => {
    const reports: Array<SessionReport> = []
    const opening = adapter.openSession({ account, secrets: null, report: (it) => reports.push(it) })
    const session = await Effect.runPromise(Scope.extend(opening, scope))
    const { instrumentId } = BTC_USD
    return {
      account,
      walletId: account.walletId!,
      session,
      reports,
      submit: (orderSide, quantity, limitPrice, more = {}) => {
        const tradeOrderId = randomUUID() as TradeOrderId
        session.submit({
          tradeOrderId,
          instrumentId,
          orderSide,
          orderType: "LIMIT",
          timeInForce: "GTC",
          quantity,
          limitPrice,
          notAfter: Date.now() + 60_000,
          ...more,
        })
        return tradeOrderId
      },
      cancel: (tradeOrderId) => session.cancel({ tradeOrderId, externalOrderId: null, instrumentId }),
      amend: (tradeOrderId, to) => session.amend?.({ tradeOrderId, externalOrderId: null, instrumentId }, to),
      told: (tradeOrderId, tag) =>
        until(
          () => `${tag} of ${tradeOrderId}, got ${JSON.stringify(reports.filter((it) => idOf(it) === tradeOrderId))}`,
          () => reports.find((it) => it._tag === tag && idOf(it) === tradeOrderId),
          20_000,
        ),
    }
  }
  return {
    ledger,
    requests,
    notices,
    desk,
    reopen,
    stored: async () => {
      const { rows } = await client.query(
        `SELECT trim_scale(quantity - executed) AS rest, trim_scale(limit_price) AS price FROM internal_order
         WHERE status = 'OPEN' ORDER BY sequence`,
      )
      return rows.map(({ rest, price }) => `${rest} @ ${price}`)
    },
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await ledger.close()
    },
  }
}
