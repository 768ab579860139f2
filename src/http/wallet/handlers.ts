/**
 * Wallets: reads and statements from the store, money through the ledger. The one thing to know: transfer ids are derived from the
 * Idempotency-Key and the body, so that a repeat after any crash finds the result of the first call; and another user's wallet is answered like
 * one that does not exist (decision 20).
 */
import { Effect } from "effect"
import type { DealerDirectory } from "../../actors/dealer/directory.ts"
import { isDealersSide } from "../../domain/dealer/dealer.ts"
import { Decimal } from "../../domain/decimal.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { Busy } from "../../domain/errors/service.ts"
import {
  AssetScaleExceeded,
  SameWallet,
  WalletFailed,
  WalletHasHolds,
  WalletNotFound,
  WalletsUnrelated,
} from "../../domain/errors/wallet.ts"
import type { DealerAccountId } from "../../domain/ids.ts"
import type { Act, Action, ActObject, Authority } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import {
  AMOUNT_DIGITS_MAX,
  accountingWalletId,
  digitsOf,
  type MovedBalance,
  newWallet,
  type TransferCode,
  type Wallet,
  type WalletId,
  type WalletType,
  walletRecord,
} from "../../domain/wallet/wallet.ts"
import { dateTime, dateTimeOrNull } from "../../foundation/time.ts"
import type { LedgerOutcome, LedgerPort } from "../../ports/ledger-port.ts"
import type { Acts } from "../../store/audit/acts.ts"
import type { JournalTransfer, LedgerJournal } from "../../store/ledger/journal.ts"
import type { Wallets } from "../../store/ledger/wallets.ts"
import { actorOf, listedUser } from "../account-access.ts"
import { type Claim, type Handlers, isFailure, type RequestFacts, relayed } from "../edge/route.ts"
import { REPLAYED } from "../limits/idempotency.ts"
import { type Cursors, countedPage } from "../pagination.ts"
import type { StatementRow, WalletApi } from "./endpoints.ts"

// Whose wallet it is. The one thing to know: another user's answers as one that does not exist (decision 20), and a dealer's own belongs
// to no user: the dealer's admins and operators of the moment act for it.

interface WalletReach {
  readonly wallets: Pick<Wallets, "find">
  readonly dealers: Pick<DealerDirectory, "find">
}

const isAdmin = (principal: Principal): boolean => principal.permissions.includes("admin")

/** By which right the caller acts for it as its own; null: by none. */
const rightTo = (
  { dealers }: Pick<WalletReach, "dealers">,
  wallet: Wallet,
  principal: Principal,
): "OWNER" | "DEALER" | null => {
  if (wallet.tenantId !== principal.tenantId) return null
  if (wallet.userId !== null) return wallet.userId === principal.userId ? "OWNER" : null
  const dealer = wallet.walletType === "DEALER" ? dealers.find(wallet.dealerAccountId as DealerAccountId) : undefined
  return isDealersSide(principal, dealer) ? "DEALER" : null
}

/** The caller's own, and for admins those of their tenant. */
const mayRead = (reach: Pick<WalletReach, "dealers">, wallet: Wallet, principal: Principal): boolean =>
  wallet.tenantId === principal.tenantId && (isAdmin(principal) || rightTo(reach, wallet, principal) !== null)

/** `id`: any text; uuids in either case. */
const readableWallet = (reach: WalletReach, principal: Principal, id: string) =>
  Effect.flatMap(reach.wallets.find(id.toLowerCase() as WalletId), (wallet) =>
    wallet !== null && mayRead(reach, wallet, principal) ? Effect.succeed(wallet) : new WalletNotFound(),
  )

// The statement of a wallet: its rows of the journal, newest first. The other side is named only to those who may read it.

const rowOf = (wallet: Wallet, known: ReadonlySet<string>, t: JournalTransfer): StatementRow => {
  const isDebit = t.debitWalletId === wallet.walletId
  const counter = isDebit ? t.creditWalletId : t.debitWalletId
  return {
    transferId: t.transferId,
    walletId: wallet.walletId,
    direction: isDebit ? "DEBIT" : "CREDIT",
    counterWalletId: known.has(counter) ? counter : null,
    kind: t.kind,
    pendingId: t.pendingId,
    asset: t.asset,
    amount: t.amount.toString(),
    code: t.code,
    reference: t.reference,
    expiresAt: t.expiresAt,
    expiresAtDateTime: dateTimeOrNull(t.expiresAt),
    createdAt: t.at,
    createdAtDateTime: dateTime(t.at),
  }
}

const statementHandler =
  ({
    wallets,
    dealers,
    journal,
    cursors,
  }: WalletReach & {
    readonly wallets: Wallets
    readonly journal: LedgerJournal
    readonly cursors: Cursors
  }): Handlers<typeof WalletApi>["transferList"] =>
  ({ query, principal }, reply) => {
    const plan = cursors.plan({
      scope: `wallet/transfer/list:${principal.userId}`,
      filters: { walletId: query.walletId.toLowerCase(), asset: query.asset },
      limit: query.limit ?? 50,
      offset: query.offset ?? 0,
      cursor: query.cursor,
    })
    if (isFailure(plan)) return reply.fail(plan)
    const asset = (plan.filters["asset"] as string | undefined) ?? null
    return Effect.gen(function* () {
      const wallet = yield* readableWallet({ wallets, dealers }, principal, String(plan.filters["walletId"]))
      const rows = yield* journal.statement({
        walletId: wallet.walletId,
        asset,
        before: plan.after,
        limit: plan.limit + 1,
        offset: plan.offset,
      })
      const count = journal.count(wallet.walletId, asset)
      const { items, pagination } = yield* countedPage(cursors, plan, rows, (it) => it.number, count)
      const others = new Set(items.flatMap((it) => [it.debitWalletId, it.creditWalletId]))
      const readable = (yield* wallets.findAll([wallet.walletId, ...others])).filter((it) =>
        mayRead({ dealers }, it, principal),
      )
      const known = new Set<string>(readable.map((it) => it.walletId))
      reply.ok(
        items.map((it) => rowOf(wallet, known, it)),
        { pagination },
      )
    })
  }

interface WalletParts {
  readonly wallets: Wallets
  readonly dealers: Pick<DealerDirectory, "find">
  readonly journal: LedgerJournal
  readonly ledger: LedgerPort["Type"]
  readonly acts: Acts["Type"]
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
  readonly authority: Authority
  readonly act: Pick<Act, "action" | "object" | "otherId">
}

const objectOf = ({ walletId, tenantId }: Wallet): ActObject => ({ type: "WALLET", id: walletId, tenantId })

export const walletHandlers = (parts: WalletParts): Handlers<typeof WalletApi> => {
  const { wallets, journal, ledger, acts, cursors, assetDigits, walletsMax, now, uuid } = parts

  const readable = (principal: Principal, id: string) => readableWallet(parts, principal, id)

  const recordOf = (wallet: Wallet) =>
    Effect.map(wallets.movedBalances([wallet.walletId]), (balances) => walletRecord(wallet, balances))

  const amountOf = (text: string): Decimal | InvalidParameter => {
    const amount = Decimal.of(text)
    return amount.isZero() ? new InvalidParameter({ parameter: "amount", reason: "must be above zero" }) : amount
  }

  /** What a closed wallet holds leaves it whole (the ledger sees to that), with as many digits as trades have left it. */
  const digitsFit = (source: Pick<Wallet, "status"> | null, asset: string, amount: Decimal) => {
    const digits = assetDigits[asset] ?? AMOUNT_DIGITS_MAX
    return digitsOf(amount) > digits && source?.status !== "CLOSED"
      ? new AssetScaleExceeded({ asset, digits })
      : Effect.void
  }

  /** Moves it, or fails as the ledger refused it; done after the commit. */
  const move = (claim: Claim | undefined, it: Move) => {
    if (ledger.pressure() === "full") return Effect.fail(new Busy({ retryAfterSeconds: 1 }))
    const id = claim?.id ?? uuid()
    const { actor } = it.authority
    const act: Act = { actId: id, actor, ...it.act, asset: it.asset, amount: it.amount.toString() }
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
        authority: it.authority,
        act,
        settled: (outcome) => {
          // Its row is stored with it; a repeat has the one of the first.
          if (outcome._tag === "Refused") acts.told(act, outcome.failure._tag)
          else if (!outcome.replayed) acts.told(act, "ok")
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
      ? new WalletFailed({ reason: `money cannot be moved manually in a wallet of type ${wallet.walletType}` })
      : Effect.void

  const fund =
    (operation: "deposit" | "withdraw"): Handlers<typeof WalletApi>["deposit"] =>
    ({ body, principal, request, claim }, reply) => {
      const amount = amountOf(body.amount)
      if (isFailure(amount)) return reply.fail(amount)
      return relayed(
        Effect.gen(function* () {
          const wallet = yield* readable(principal, body.walletId)
          yield* fundable(wallet)
          const world = accountingWalletId(wallet.tenantId, "WORLD")
          const isDeposit = operation === "deposit"
          yield* digitsFit(isDeposit ? null : wallet, body.asset, amount)
          const outcome = yield* move(claim, {
            code: isDeposit ? "DEPOSIT" : "WITHDRAWAL",
            from: isDeposit ? world : wallet.walletId,
            to: isDeposit ? wallet.walletId : world,
            asset: body.asset,
            amount,
            authority: { actor: actorOf(request, principal), right: "ADMIN" },
            act: { action: `wallet.${operation}`, object: objectOf(wallet) },
          })
          reply.ok(yield* recordOf(wallet), headersOf(outcome))
        }),
        reply,
      )
    }

  const actOf = (action: Action, request: RequestFacts, principal: Principal, wallet: Wallet): Act => ({
    actId: uuid(),
    action,
    actor: actorOf(request, principal),
    object: objectOf(wallet),
  })

  const setStatus =
    (action: "wallet.freeze" | "wallet.unfreeze"): Handlers<typeof WalletApi>["freeze"] =>
    ({ body, principal, request }, reply) =>
      relayed(
        Effect.gen(function* () {
          const wallet = yield* readable(principal, body.walletId)
          const act = actOf(action, request, principal, wallet)
          const status = action === "wallet.freeze" ? "FROZEN" : "ACTIVE"
          const authority = { actor: act.actor, right: "ADMIN" } as const
          const stored = yield* acts.commit(act, () => wallets.setStatus(wallet.walletId, status, now(), authority))
          // Only closing meets holds.
          reply.ok(yield* recordOf(stored ?? wallet))
        }),
        reply,
      )

  return {
    create: ({ body, principal, request, claim }, reply) =>
      Effect.gen(function* () {
        const { tenantId, userId } = principal
        const nickname = body.nickname ?? null
        const metadata = nickname === null ? {} : { nickname }
        const walletId = (claim?.id ?? uuid()) as WalletId
        const wallet = newWallet({ walletId, tenantId, walletType: "CLIENT", userId, metadata }, now())
        const act = { ...actOf("wallet.create", request, principal, wallet), actId: walletId }
        yield* acts.commit(act, () => wallets.insertOwn(wallet, walletsMax))
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
      const listed = listedUser(principal, userId)
      if (typeof listed !== "string") return reply.fail(listed)
      // Those of no user.
      const isHouses = walletType === "ACCOUNTING" || walletType === "DEALER"
      const ours = isHouses && userId === undefined && isAdmin(principal)
      const [createdAt, walletId] = plan.after?.split("|") ?? []
      return Effect.gen(function* () {
        const { rows, total } = yield* wallets.list({
          tenantId: principal.tenantId,
          userId: ours ? null : listed,
          walletType: (walletType as WalletType | undefined) ?? null,
          after: walletId === undefined ? null : { createdAt: Number(createdAt), walletId },
          limit: plan.limit + 1,
          offset: plan.offset,
        })
        const page = rows.slice(0, plan.limit)
        const balancesOf = new Map<WalletId, Array<MovedBalance>>(page.map((it) => [it.walletId, []]))
        for (const balance of yield* wallets.movedBalances([...balancesOf.keys()]))
          balancesOf.get(balance.walletId)?.push(balance)
        const last = page.at(-1)
        const next = rows.length > plan.limit && last !== undefined ? `${last.createdAt}|${last.walletId}` : null
        reply.ok(
          page.map((it) => walletRecord(it, balancesOf.get(it.walletId) ?? [])),
          { pagination: cursors.pagination(plan, plan.total?.count ?? total, next) },
        )
      })
    },

    transfer: ({ body, principal, request, claim }, reply) => {
      const from = body.sourceWalletId.toLowerCase() as WalletId
      const to = body.destWalletId.toLowerCase() as WalletId
      const amount = amountOf(body.amount)
      if (isFailure(amount)) return reply.fail(amount)
      if (from === to) return reply.fail(new SameWallet())
      return relayed(
        Effect.gen(function* () {
          const found = yield* wallets.findAll([from, to])
          const source = found.find((it) => it.walletId === from)
          const dest = found.find((it) => it.walletId === to)
          const right = source === undefined ? null : rightTo(parts, source, principal)
          if (source === undefined || right === null) return yield* new WalletNotFound()
          if (dest === undefined || dest.tenantId !== principal.tenantId) return yield* new WalletNotFound()
          // Money that belongs with one dealer stays there; one's own of no dealer may go to any.
          const leaves = source.dealerAccountId !== null && source.dealerAccountId !== dest.dealerAccountId
          if (rightTo(parts, dest, principal) !== right || leaves) return yield* new WalletsUnrelated()
          yield* fundable(source)
          yield* fundable(dest)
          yield* digitsFit(source, body.asset, amount)
          const authority: Authority = { actor: actorOf(request, principal), right }
          const act = { action: "wallet.transfer", object: objectOf(source), otherId: to } as const
          const outcome = yield* move(claim, { code: "TRANSFER", from, to, asset: body.asset, amount, authority, act })
          reply.ok("ok", headersOf(outcome))
        }),
        reply,
      )
    },

    deposit: fund("deposit"),
    withdraw: fund("withdraw"),
    freeze: setStatus("wallet.freeze"),
    unfreeze: setStatus("wallet.unfreeze"),

    close: ({ body, principal, request }, reply) =>
      relayed(
        Effect.gen(function* () {
          const wallet = yield* readable(principal, body.walletId)
          const right = rightTo(parts, wallet, principal)
          if (right === null) return yield* new WalletNotFound()
          // Of a closed one nothing would be compared with its venue any more.
          if (wallet.walletType === "EXCHANGE")
            return yield* new WalletFailed({
              reason: "a wallet of type EXCHANGE mirrors its account and cannot be closed",
            })
          yield* ledger.expireHolds(wallet.walletId)
          const act = actOf("wallet.close", request, principal, wallet)
          const closing = Effect.gen(function* () {
            const authority = { actor: act.actor, right }
            const closed = yield* wallets.setStatus(wallet.walletId, "CLOSED", now(), authority)
            if (closed !== null) return closed
            const holds = yield* journal.openHolds(wallet.walletId)
            return yield* new WalletHasHolds({ transferIds: holds.slice(0, HOLDS_NAMED).map((it) => it.transferId) })
          })
          reply.ok(yield* recordOf(yield* acts.commit(act, () => closing)))
        }),
        reply,
      ),

    transferList: statementHandler(parts),
  }
}
