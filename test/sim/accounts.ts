/** Trading accounts of a simulated world, and what their session does at the venue: every call passes here and may be looked at. */
import type { Context } from "effect"
import { Effect } from "effect"
import type { TradingAccount } from "../../src/domain/account/trading-account.ts"
import type { CredentialId, TenantId, TradeOrderId, TradingAccountId, UserId } from "../../src/domain/ids.ts"
import type { VenuePort } from "../../src/ports/venue-port.ts"
import type { OrderLookup, SessionReport, VenueOrderState, VenueSession } from "../../src/ports/venue-session.ts"
import { MAIN } from "./venue/exchange.ts"
import { SIM } from "./venue/listing.ts"

export const START = Date.UTC(2026, 0, 1)
export const ACCOUNT = "0aaaaaaa-0000-4000-8000-000000000001" as TradingAccountId

/** Account and user by number; 1 is the one that scripted tests have. */
export const accountId = (number: number): TradingAccountId =>
  `0aaaaaaa-0000-4000-8000-${number.toString(16).padStart(12, "0")}` as TradingAccountId
export const userId = (number: number): UserId =>
  `0bbbbbbb-0000-4000-8000-${number.toString(16).padStart(12, "0")}` as UserId
export const credentialId = (number: number): CredentialId =>
  `0ddddddd-0000-4000-8000-${number.toString(16).padStart(12, "0")}` as CredentialId

export const simAccount = (patch: Partial<TradingAccount> = {}): TradingAccount => ({
  tradingAccountId: ACCOUNT,
  tenantId: "default" as TenantId,
  userId: userId(1),
  version: 1,
  venue: SIM,
  externalTradingAccountId: MAIN,
  nickname: "sim",
  status: "CREATED",
  credentials: [],
  initialBalances: [],
  channelEpoch: "epoch",
  createdAt: START,
  updatedAt: START,
  disconnectedAt: null,
  cancelAllAt: null,
  walletId: null,
  dealerAccountId: null,
  ...patch,
})

/** One call of an account at the venue, at the moment in which it is made, or an answer at the moment in which it is given. */
export type VenueCall =
  | { readonly _tag: "Opened" }
  | { readonly _tag: "Closed" }
  | { readonly _tag: "Prepare" | "Submit" | "Cancel" | "Amend"; readonly tradeOrderId: TradeOrderId }
  | { readonly _tag: "AskedOrder"; readonly tradeOrderId: TradeOrderId }
  | { readonly _tag: "ToldOrder"; readonly tradeOrderId: TradeOrderId; readonly lookup: OrderLookup }
  /** `isOpening`: the account agrees with its venue by it; else an audit asked, also one that the account has given up meanwhile. */
  | { readonly _tag: "ToldOpen"; readonly open: ReadonlyArray<VenueOrderState>; readonly isOpening: boolean }
  | { readonly _tag: "AskedBalances" }
  | { readonly _tag: "ToldBalances"; readonly at: number }
  | { readonly _tag: "Heard"; readonly report: SessionReport }

export type Watch = (account: TradingAccount, call: VenueCall) => void

const watched = (account: TradingAccount, session: VenueSession, watch: Watch): VenueSession => {
  const openOrders = (isOpening: boolean): VenueSession["fetchOpenOrders"] =>
    Effect.tap(session.fetchOpenOrders, (open) =>
      Effect.sync(() => watch(account, { _tag: "ToldOpen", open, isOpening })),
    )
  const fetchBalances = Effect.suspend(() => {
    watch(account, { _tag: "AskedBalances" })
    return Effect.tap(session.fetchBalances, ({ at }) =>
      Effect.sync(() => watch(account, { _tag: "ToldBalances", at })),
    )
  })
  const { amend, prepare } = session
  return {
    ...session,
    ...(prepare !== undefined && {
      prepare: (order) => {
        watch(account, { _tag: "Prepare", tradeOrderId: order.tradeOrderId })
        prepare(order)
      },
    }),
    forOpening: () => ({ ...session, fetchOpenOrders: openOrders(true), fetchBalances }),
    submit: (order) => {
      watch(account, { _tag: "Submit", tradeOrderId: order.tradeOrderId })
      if (order.pairedWith !== undefined)
        watch(account, { _tag: "Submit", tradeOrderId: order.pairedWith.tradeOrderId })
      session.submit(order)
    },
    cancel: (ref) => {
      watch(account, { _tag: "Cancel", tradeOrderId: ref.tradeOrderId })
      session.cancel(ref)
    },
    ...(amend !== undefined && {
      amend: (ref, to) => {
        watch(account, { _tag: "Amend", tradeOrderId: ref.tradeOrderId })
        amend(ref, to)
      },
    }),
    fetchOpenOrders: openOrders(false),
    fetchBalances,
    fetchOrder: (ref) =>
      Effect.suspend(() => {
        const { tradeOrderId } = ref
        watch(account, { _tag: "AskedOrder", tradeOrderId })
        return Effect.tap(session.fetchOrder(ref), (lookup) =>
          Effect.sync(() => watch(account, { _tag: "ToldOrder", tradeOrderId, lookup })),
        )
      }),
  }
}

/** The venue with a look at every call. */
export const watchedPort = (port: Context.Tag.Service<VenuePort>, watch: Watch): Context.Tag.Service<VenuePort> => ({
  ...port,
  openSession: (options) => {
    const { account } = options
    return Effect.gen(function* () {
      const session = yield* port.openSession({
        ...options,
        report: (report) => {
          watch(account, { _tag: "Heard", report })
          options.report(report)
        },
      })
      yield* Effect.acquireRelease(
        Effect.sync(() => watch(account, { _tag: "Opened" })),
        () => Effect.sync(() => watch(account, { _tag: "Closed" })),
      )
      return watched(account, session, watch)
    })
  },
})
