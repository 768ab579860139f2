/**
 * Wallets: reads from the store, money through the ledger. The one thing to know: ids of what moves are made of the Idempotency-Key and
 * the body, so that a repeat after any crash meets what the first call did.
 */
import { Effect } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import { InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { Busy } from "../../domain/errors/service.ts"
import {
  AssetScaleExceeded,
  SameWallet,
  WalletFailed,
  WalletFrozen,
  WalletHasHolds,
  WalletNotFound,
  WalletsUnrelated,
} from "../../domain/errors/wallet.ts"
import type { UserId } from "../../domain/ids.ts"
import type { Principal } from "../../domain/user.ts"
import {
  accountingWalletId,
  digitsOf,
  newWallet,
  type TransferCode,
  type Wallet,
  type WalletBalance,
  type WalletId,
  type WalletStatus,
  type WalletType,
  walletRecord,
} from "../../domain/wallet.ts"
import type { LedgerOutcome, LedgerPort } from "../../ports/ledger-port.ts"
import type { LedgerJournal } from "../../store/ledger-journal.ts"
import type { Wallets } from "../../store/wallets.ts"
import { isFailure, relayed } from "../answers.ts"
import { REPLAYED } from "../idempotency.ts"
import type { Cursors } from "../pagination.ts"
import type { Claim, Handlers } from "../route.ts"
import type { WalletApi } from "./endpoints.ts"
import { statementHandler } from "./statement.ts"
import { isAdmin, readableWallet } from "./wallet-access.ts"

export interface WalletParts {
  readonly wallets: Wallets
  readonly journal: LedgerJournal
  readonly ledger: LedgerPort["Type"]
  readonly cursors: Cursors
  /** Asset → digits behind the point that amounts may have; all others 18. */
  readonly assetDigits: Readonly<Record<string, number>>
  /** Of one user. */
  readonly walletsMax: number
  readonly now: () => number
  readonly uuid: () => string
}

const HOLDS_NAMED = 20

interface Move {
  readonly code: TransferCode
  readonly from: WalletId
  readonly to: WalletId
  readonly asset: string
  readonly amount: Decimal
}

export const walletHandlers = (parts: WalletParts): Handlers<typeof WalletApi> => {
  const { wallets, journal, ledger, cursors, assetDigits, walletsMax, now, uuid } = parts

  const readable = (principal: Principal, id: string) => readableWallet(wallets, principal, id)

  const recordOf = (wallet: Wallet) =>
    Effect.map(wallets.balances([wallet.walletId]), (balances) => walletRecord(wallet, balances))

  const amountOf = (asset: string, text: string): Decimal | InvalidParameter | AssetScaleExceeded => {
    const amount = Decimal.of(text)
    if (amount.isZero()) return new InvalidParameter({ parameter: "amount", reason: "must be above zero" })
    const digits = assetDigits[asset] ?? 18
    return digitsOf(amount) > digits ? new AssetScaleExceeded({ asset, digits }) : amount
  }

  /** Moves it, or fails as the ledger refused it; done after the commit. */
  const move = (claim: Claim | undefined, it: Move) => {
    if (ledger.pressure() === "full") return Effect.fail(new Busy({ retryAfterSeconds: 1 }))
    const id = claim?.id ?? uuid()
    return Effect.async<
      Extract<LedgerOutcome, { _tag: "Applied" }>,
      Extract<LedgerOutcome, { _tag: "Refused" }>["failure"]
    >((resume) =>
      ledger.post({
        requestId: id,
        transfers: [
          {
            kind: "single",
            transferId: id,
            pendingId: null,
            debitWalletId: it.from,
            creditWalletId: it.to,
            asset: it.asset,
            amount: it.amount,
            code: it.code,
            reference: null,
            expiresAt: null,
          },
        ],
        facts: [],
        settled: (outcome) => {
          if (outcome._tag === "Applied") return resume(Effect.succeed(outcome))
          claim?.refused()
          resume(Effect.fail(outcome.failure))
        },
      }),
    )
  }

  const headersOf = (outcome: { readonly replayed: boolean }) => (outcome.replayed ? { headers: REPLAYED } : {})

  /** What an admin may fund and empty: a mirror says what its venue says, and the installation's own are the other side. */
  const fundable = (wallet: Wallet) =>
    wallet.walletType === "EXCHANGE" || wallet.walletType === "ACCOUNTING"
      ? new WalletFailed({ reason: `money is not moved by hand in a wallet of type ${wallet.walletType}` })
      : Effect.void

  const fund =
    (operation: "deposit" | "withdraw"): Handlers<typeof WalletApi>["deposit"] =>
    ({ body, principal, claim }, reply) => {
      const amount = amountOf(body.asset, body.amount)
      if (isFailure(amount)) return reply.fail(amount)
      return relayed(
        Effect.gen(function* () {
          const wallet = yield* readable(principal, body.walletId)
          yield* fundable(wallet)
          const world = accountingWalletId(wallet.tenantId, "WORLD")
          const isDeposit = operation === "deposit"
          const outcome = yield* move(claim, {
            code: isDeposit ? "DEPOSIT" : "WITHDRAWAL",
            from: isDeposit ? world : wallet.walletId,
            to: isDeposit ? wallet.walletId : world,
            asset: body.asset,
            amount,
          })
          reply.ok(yield* recordOf(wallet), headersOf(outcome))
        }),
        reply,
      )
    }

  const setStatus =
    (status: WalletStatus): Handlers<typeof WalletApi>["freeze"] =>
    ({ body, principal }, reply) =>
      Effect.gen(function* () {
        const wallet = yield* readable(principal, body.walletId)
        // Only closing meets holds.
        reply.ok(yield* recordOf((yield* wallets.setStatus(wallet.walletId, status, now())) ?? wallet))
      })

  return {
    create: ({ body, principal, claim }, reply) =>
      Effect.gen(function* () {
        const { tenantId, userId } = principal
        const nickname = body.nickname ?? null
        const metadata = nickname === null ? {} : { nickname }
        const walletId = (claim?.id ?? uuid()) as WalletId
        const wallet = newWallet({ walletId, tenantId, walletType: "CLIENT", userId, metadata }, now())
        yield* wallets.insertOwn(wallet, walletsMax)
        const stored = (yield* wallets.find(wallet.walletId)) ?? wallet
        reply.ok(yield* recordOf(stored))
      }),

    get: ({ query, principal }, reply) =>
      Effect.gen(function* () {
        reply.ok(yield* recordOf(yield* readable(principal, query.walletId)))
      }),

    list: ({ query, principal }, reply) => {
      const plan = cursors.plan({
        scope: `wallet/list:${principal.userId}`,
        filters: { walletType: query.walletType, userId: query.userId?.toLowerCase() },
        limit: query.limit ?? 50,
        offset: query.offset ?? 0,
        cursor: query.cursor,
      })
      if (isFailure(plan)) return reply.fail(plan)
      const { walletType, userId } = plan.filters
      if (userId !== undefined && userId !== principal.userId && !isAdmin(principal))
        return reply.fail(new InsufficientPermissions({ required: ["admin"], provided: [...principal.permissions] }))
      const ours = walletType === "ACCOUNTING" && userId === undefined && isAdmin(principal)
      const [createdAt, walletId] = plan.after?.split("|") ?? []
      return Effect.gen(function* () {
        const { rows, total } = yield* wallets.list({
          tenantId: principal.tenantId,
          userId: ours ? null : ((userId as UserId | undefined) ?? principal.userId),
          walletType: (walletType as WalletType | undefined) ?? null,
          after: walletId === undefined ? null : { createdAt: Number(createdAt), walletId },
          limit: plan.limit + 1,
          offset: plan.offset,
        })
        const page = rows.slice(0, plan.limit)
        const balancesOf = new Map<WalletId, Array<WalletBalance>>(page.map((it) => [it.walletId, []]))
        for (const balance of yield* wallets.balances([...balancesOf.keys()]))
          balancesOf.get(balance.walletId)?.push(balance)
        const last = page.at(-1)
        const next = rows.length > plan.limit && last !== undefined ? `${last.createdAt}|${last.walletId}` : null
        reply.ok(
          page.map((it) => walletRecord(it, balancesOf.get(it.walletId) ?? [])),
          { pagination: cursors.pagination(plan, plan.total?.count ?? total, next) },
        )
      })
    },

    transfer: ({ body, principal, claim }, reply) => {
      const from = body.sourceWalletId.toLowerCase() as WalletId
      const to = body.destWalletId.toLowerCase() as WalletId
      const amount = amountOf(body.asset, body.amount)
      if (isFailure(amount)) return reply.fail(amount)
      if (from === to) return reply.fail(new SameWallet())
      return relayed(
        Effect.gen(function* () {
          const found = yield* wallets.findAll([from, to])
          const source = found.find((it) => it.walletId === from)
          const dest = found.find((it) => it.walletId === to)
          if (source === undefined || source.userId !== principal.userId || source.tenantId !== principal.tenantId)
            return yield* new WalletNotFound()
          if (dest === undefined || dest.tenantId !== principal.tenantId) return yield* new WalletNotFound()
          const scopes = new Set([source.dealerAccountId, dest.dealerAccountId].filter((it) => it !== null))
          if (dest.userId !== principal.userId || scopes.size > 1) return yield* new WalletsUnrelated()
          yield* fundable(source)
          yield* fundable(dest)
          // Frozen when it was closed: what is left goes through an admin.
          if (source.status === "CLOSED" && source.frozen && !isAdmin(principal)) return yield* new WalletFrozen()
          const outcome = yield* move(claim, { code: "TRANSFER", from, to, asset: body.asset, amount })
          reply.ok("ok", headersOf(outcome))
        }),
        reply,
      )
    },

    deposit: fund("deposit"),
    withdraw: fund("withdraw"),
    freeze: setStatus("FROZEN"),
    unfreeze: setStatus("ACTIVE"),

    close: ({ body, principal }, reply) =>
      Effect.gen(function* () {
        const wallet = yield* readable(principal, body.walletId)
        if (wallet.userId !== principal.userId) return yield* new WalletNotFound()
        yield* ledger.expireHolds(wallet.walletId)
        const closed = yield* wallets.setStatus(wallet.walletId, "CLOSED", now())
        if (closed !== null) return reply.ok(yield* recordOf(closed))
        const holds = yield* journal.openHolds(wallet.walletId)
        return yield* new WalletHasHolds({ transferIds: holds.slice(0, HOLDS_NAMED).map((it) => it.transferId) })
      }),

    transferList: statementHandler(parts),
  }
}
