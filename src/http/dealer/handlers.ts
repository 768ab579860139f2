/** Dealers: provisioned here, changed by their actors, read from the directory. */
import { randomBytes } from "node:crypto"
import { Effect, Fiber } from "effect"
import type { AccountDirectory } from "../../actors/account/directory.ts"
import type { TradingAccounts } from "../../actors/account/messages.ts"
import type { DealerDirectory } from "../../actors/dealer/directory.ts"
import type {
  DealerCommand,
  Dealers,
  HedgeResolved,
  LinkAccount,
  ResolveHedge,
  UnlinkAccount,
} from "../../actors/dealer/messages.ts"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { changedFields, configFault, dealerConfigOf } from "../../domain/dealer/config.ts"
import { type Dealer, type DealerStatus, dealerRecord, isDealersSide, isLinked } from "../../domain/dealer/dealer.ts"
import { FUNDING_MILLIS, fundingRecord } from "../../domain/dealer/funding.ts"
import { Decimal } from "../../domain/decimal.ts"
import { AccountForbidden, InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { AccountNotLinked, DealerArchived } from "../../domain/errors/dealer.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { TradingAccountNotFound } from "../../domain/errors/trading-account.ts"
import type { DealerAccountId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { isSpot } from "../../domain/instrument/venue.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import type { Reply } from "../../domain/reply.ts"
import type { Act, Action } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import { AMOUNT_MAX, isWritableAmount, newWallet, type Wallet, type WalletId } from "../../domain/wallet/wallet.ts"
import type { DealerAct } from "../../ports/dealer-store.ts"
import type { Acts } from "../../store/audit/acts.ts"
import type { DealerRows } from "../../store/dealers/dealers.ts"
import type { Wallets } from "../../store/ledger/wallets.ts"
import type { Accounts } from "../../store/orders/accounts.ts"
import { MAKING_TIMES, seenThrough } from "../../store/postgres/storage-failure.ts"
import { type AccountReach, accountOf, actorOf, dealerOf } from "../account-access.ts"
import {
  ask,
  type Claim,
  type HandlerInput,
  type Handlers,
  type HttpReply,
  isFailure,
  type RequestFacts,
  relayed,
} from "../edge/route.ts"
import { REPLAYED } from "../limits/idempotency.ts"
import { type Cursors, pageOf, sortedBy, timeKey } from "../pagination.ts"
import type { VenueGate } from "../venue-gate.ts"
import type { DealerApi, DealerDetail } from "./endpoints.ts"

export interface DealerHandlerParts {
  readonly dealers: Dealers["Type"]
  readonly directory: DealerDirectory
  readonly rows: Pick<DealerRows, "insert" | "insertFunding" | "judged">
  readonly acts: Acts["Type"]
  readonly accountRows: Pick<Accounts, "insertInternalAccount">
  readonly wallets: Pick<Wallets, "insert">
  readonly accounts: AccountDirectory
  readonly reach: AccountReach
  readonly tradingAccounts: TradingAccounts["Type"]
  readonly gate: VenueGate
  readonly cursors: Cursors
  readonly now: () => number
  readonly uuid: () => string
}

/** It may be done, or may be tried again: no row says that it was refused. */
const OPEN_ENDS: ReadonlySet<string> = new Set(["Busy", "OutcomeUnknown", "ShuttingDown", "StorageUnavailable"])

/** How long create waits for the dealer's own account. */
const READY_MILLIS = 10_000

export const dealerHandlers = (parts: DealerHandlerParts): Handlers<typeof DealerApi> => {
  const {
    dealers,
    directory,
    rows,
    acts,
    accountRows,
    wallets,
    accounts,
    reach,
    tradingAccounts,
    gate,
    cursors,
    now,
    uuid,
  } = parts

  /** As an admin made it: dealer, account and wallet, none of them stored yet, and none of them the admin's. */
  const newDealer = (
    principal: Principal,
    asked: Pick<Dealer, "name" | "baseCurrencies" | "riskThreshold" | "config">,
    claim: Claim | undefined,
  ): { readonly dealer: Dealer; readonly account: TradingAccount; readonly wallet: Wallet } => {
    const at = now()
    const [dealerAccountId, tradingAccountId, walletId] = [claim?.id ?? uuid(), uuid(), uuid()] as [
      DealerAccountId,
      TradingAccountId,
      WalletId,
    ]
    const { tenantId, userId } = principal
    const times = { createdAt: at, updatedAt: at }
    return {
      dealer: {
        ...asked,
        ...times,
        dealerAccountId,
        tenantId,
        version: 1,
        status: "ACTIVE",
        linkedAccountIds: [],
        ownerUserId: userId,
        tradingAccountId,
        walletId,
      },
      account: {
        ...times,
        tradingAccountId,
        tenantId,
        userId: null,
        version: 1,
        venue: INTERNAL,
        externalTradingAccountId: walletId,
        nickname: asked.name,
        status: "CREATED",
        walletId,
        dealerAccountId,
        credentials: [],
        initialBalances: [],
        channelEpoch: randomBytes(6).toString("base64url"),
        disconnectedAt: null,
        cancelAllAt: null,
      },
      wallet: newWallet(
        { walletId, tenantId, walletType: "DEALER", userId: null, dealerAccountId, metadata: { nickname: asked.name } },
        at,
      ),
    }
  }

  const actOf = (action: Action, request: RequestFacts, principal: Principal, dealer: Dealer): Act => ({
    actId: uuid(),
    action,
    actor: actorOf(request, principal),
    object: { type: "DEALER", id: dealer.dealerAccountId, tenantId: dealer.tenantId },
  })

  const refusedAs = (act: Act, { _tag }: DomainError): Effect.Effect<void> =>
    OPEN_ENDS.has(_tag) ? Effect.sync(() => acts.told(act, _tag)) : acts.refused(act, _tag)

  /** Changed by its actor, which writes the act's row with the change; one that was refused has a row, too. */
  const changed = (dealer: Dealer, act: Act, command: (reply: Reply<Dealer, DomainError>) => DealerCommand) =>
    Effect.tapBoth(
      ask<Dealer, DomainError>((reply) => dealers.post(dealer.dealerAccountId, command(reply))),
      {
        onSuccess: ({ version }) => Effect.sync(() => version > dealer.version && acts.told(act, "ok")),
        onFailure: (error) => refusedAs(act, error),
      },
    )

  const resolving = (dealer: Dealer, command: Omit<ResolveHedge, "reply">) =>
    Effect.tapBoth(
      ask<HedgeResolved, DomainError>((reply) => dealers.post(dealer.dealerAccountId, { ...command, reply })),
      {
        onSuccess: ({ isNew }) => Effect.sync(() => isNew && acts.told(command.asked.act, "ok")),
        // No hedge of the dealer's has that id: nothing was acted on, and whose order it may be is not kept.
        onFailure: (error) => (error._tag === "OrderNotFound" ? Effect.void : refusedAs(command.asked.act, error)),
      },
    )

  const setStatus =
    (status: DealerStatus, action: "dealer.pause" | "dealer.resume" | "dealer.archive") =>
    (
      {
        body,
        principal,
        request,
      }: Pick<HandlerInput<never, { readonly dealerAccountId: string }>, "body" | "principal" | "request">,
      reply: Pick<HttpReply<ReturnType<typeof dealerRecord>, never>, "ok" | "relay">,
    ) => {
      const dealer = dealerOf(directory, principal, body.dealerAccountId)
      if (isFailure(dealer)) return reply.relay(dealer)
      const act = actOf(action, request, principal, dealer)
      const done = changed(dealer, act, (answered) => ({
        _tag: "SetDealerStatus",
        status,
        asked: { act, right: "ADMIN" },
        reply: answered,
      }))
      return relayed(
        Effect.map(done, (stored) => reply.ok(recordOf(stored, true))),
        reply,
      )
    }

  const relinked = (
    dealer: Dealer,
    command: Omit<LinkAccount | UnlinkAccount, "reply" | "asked"> & { readonly asked: DealerAct },
    reply: Pick<HttpReply<"ok", never>, "ok" | "relay">,
  ) => {
    const done = changed(dealer, command.asked.act, (answered) => ({ ...command, reply: answered }))
    return relayed(
      Effect.map(done, () => reply.ok("ok")),
      reply,
    )
  }

  /** Accounts that are disconnected are linked no longer. */
  const recordOf = (dealer: Dealer, full: boolean) => {
    const linkedAccountIds = dealer.linkedAccountIds.filter((id) => accounts.find(id)?.status !== "DISCONNECTED")
    return dealerRecord({ ...dealer, linkedAccountIds }, full)
  }

  const linkOf = (
    principal: Principal,
    body: { readonly dealerAccountId: string; readonly tradingAccountId: string },
  ): { readonly dealer: Dealer; readonly account: TradingAccount; readonly isOwn: boolean } | DomainError => {
    const dealer = dealerOf(directory, principal, body.dealerAccountId)
    if (isFailure(dealer)) return dealer
    const account = accounts.find(body.tradingAccountId.toLowerCase() as TradingAccountId)
    if (account === undefined || account.tenantId !== principal.tenantId) return new TradingAccountNotFound()
    return { dealer, account, isOwn: !isFailure(accountOf(reach, principal, account.tradingAccountId, "write")) }
  }

  return {
    create: ({ body, principal, request, claim }, reply) => {
      const config = body.config ?? {}
      const fault = configFault(config, (name) => gate.find(name) !== undefined)
      if (fault !== null) return reply.fail(new InvalidParameter({ parameter: fault.field, reason: fault.reason }))
      const asked = {
        name: body.name,
        baseCurrencies: [...new Set(body.baseCurrencies)],
        riskThreshold: body.riskThreshold ? Decimal.of(body.riskThreshold) : null,
        config: dealerConfigOf(config),
      }
      const { dealer, account, wallet } = newDealer(principal, asked, claim)
      const made = directory.find(dealer.dealerAccountId)
      if (made !== undefined) return reply.ok(recordOf(made, true), { headers: REPLAYED })
      const started = Effect.suspend(() => {
        dealers.start(dealer)
        return Effect.forkDaemon(tradingAccounts.start(account, READY_MILLIS))
      })
      const act = { ...actOf("dealer.create", request, principal, dealer), actId: dealer.dealerAccountId }
      const provided = Effect.zipRight(
        rows.judged({ actor: act.actor, right: "ADMIN" }, dealer.tenantId),
        accountRows.insertInternalAccount(account, wallets.insert(wallet)),
      )
      const stored = acts.commit(act, () => rows.insert(dealer, provided))
      const created = Effect.gen(function* () {
        yield* Fiber.join(yield* seenThrough(Effect.zipRight(stored, started), MAKING_TIMES))
        reply.ok(recordOf(dealer, true))
      })
      return relayed(created, reply)
    },

    get: ({ query, principal }, reply) => {
      const dealer = dealerOf(directory, principal, query.dealerAccountId)
      if (isFailure(dealer)) return reply.fail(dealer)
      const full = isDealersSide(principal, dealer)
      const detail = (own: Pick<DealerDetail, "openQuotes" | "hedging">): DealerDetail => ({
        ...recordOf(dealer, full),
        ...own,
      })
      if (!full) return reply.ok(detail({ openQuotes: null, hedging: null }))
      return dealers.post(dealer.dealerAccountId, {
        _tag: "ReadDealer",
        reply: { ok: (own) => reply.ok(detail(own)), fail: reply.relay },
      })
    },

    list: ({ query, principal }, reply) => {
      const plan = cursors.plan({
        scope: `dealer/list:${principal.userId}`,
        filters: { status: query.status },
        limit: query.limit ?? 50,
        offset: query.offset ?? 0,
        cursor: query.cursor,
      })
      if (isFailure(plan)) return reply.fail(plan)
      const { status } = plan.filters
      const own = directory
        .all()
        .filter((it) => it.tenantId === principal.tenantId && (status === undefined || it.status === status))
      const keyOf = (it: Dealer): string => timeKey(it.createdAt, it.dealerAccountId)
      const page = pageOf(cursors, plan, sortedBy(own, keyOf, "descending"), keyOf, "descending")
      return reply.ok(
        page.items.map((it) => recordOf(it, true)),
        { pagination: page.pagination },
      )
    },

    update: ({ body, principal, request }, reply) => {
      const dealer = dealerOf(directory, principal, body.dealerAccountId)
      if (isFailure(dealer)) return reply.relay(dealer)
      const fault = configFault(body.config, (name) => gate.find(name) !== undefined)
      if (fault !== null) return reply.fail(new InvalidParameter({ parameter: fault.field, reason: fault.reason }))
      const config = dealerConfigOf(body.config)
      const what = `config: ${changedFields(dealer.config, config).join(", ") || "as it was"}`
      const act = { ...actOf("dealer.update", request, principal, dealer), what }
      const done = changed(dealer, act, (answered) => ({
        _tag: "ConfigureDealer",
        config,
        updatedAt: body.updatedAt,
        asked: { act, right: "ADMIN" },
        reply: answered,
      }))
      return relayed(
        Effect.map(done, (stored) => reply.ok(recordOf(stored, true))),
        reply,
      )
    },

    pause: setStatus("PAUSED", "dealer.pause"),
    resume: setStatus("ACTIVE", "dealer.resume"),
    archive: setStatus("ARCHIVED", "dealer.archive"),

    // Of one's own account, as admin or operator of the dealer: none is linked without its owner.
    accountLink: ({ body, principal, request }, reply) => {
      const link = linkOf(principal, body)
      if (isFailure(link)) return reply.relay(link)
      const { dealer, account, isOwn } = link
      if (!isOwn) return reply.fail(new AccountForbidden())
      if (!isDealersSide(principal, dealer))
        return reply.fail(new InsufficientPermissions({ required: ["admin"], provided: [...principal.permissions] }))
      const { tradingAccountId } = account
      if (tradingAccountId === dealer.tradingAccountId)
        return reply.fail(
          new InvalidParameter({ parameter: "tradingAccountId", reason: "is the dealer's own account" }),
        )
      const act = { ...actOf("dealer.link", request, principal, dealer), otherId: tradingAccountId }
      return relinked(dealer, { _tag: "LinkAccount", tradingAccountId, asked: { act, right: "DEALER" } }, reply)
    },

    // By the account's owner, or by the dealer's side: the owner may be gone. Of what is not linked neither says so alone.
    accountUnlink: ({ body, principal, request }, reply) => {
      const link = linkOf(principal, body)
      if (isFailure(link)) return reply.relay(link)
      const { dealer, account, isOwn } = link
      const { tradingAccountId } = account
      const isSide = isDealersSide(principal, dealer)
      const isThere = isLinked(dealer, tradingAccountId)
      if (!isOwn && !(isSide && isThere)) return reply.fail(new AccountForbidden())
      if (!isSide && !isThere)
        return reply.fail(new InsufficientPermissions({ required: ["admin"], provided: [...principal.permissions] }))
      const act = { ...actOf("dealer.unlink", request, principal, dealer), otherId: tradingAccountId }
      const right = isOwn ? "OWNER" : "DEALER"
      return relinked(dealer, { _tag: "UnlinkAccount", tradingAccountId, asked: { act, right } }, reply)
    },

    accountFunding: ({ body, principal, request, claim }, reply) => {
      const link = linkOf(principal, body)
      if (isFailure(link)) return reply.relay(link)
      const { dealer, account } = link
      if (dealer.status === "ARCHIVED") return reply.fail(new DealerArchived())
      if (!isLinked(dealer, account.tradingAccountId)) return reply.fail(new AccountNotLinked())
      const venue = gate.find(account.venue)
      const invalid = (parameter: string, reason: string) => reply.fail(new InvalidParameter({ parameter, reason }))
      // Of these there is no mirror.
      if (account.walletId !== null || venue === undefined || !isSpot(venue))
        return invalid(
          "tradingAccountId",
          `is of ${account.venue}: deposits and withdrawals can be announced only at external spot venues`,
        )
      const amount = Decimal.of(body.amount)
      if (!isWritableAmount(amount)) return invalid("amount", `must be above zero and at most ${AMOUNT_MAX}`)
      const [at, fundingId] = [now(), claim?.id ?? uuid()]
      const { asset, direction } = body
      const { dealerAccountId } = dealer
      const { tradingAccountId } = account
      const times = { createdAt: at, expireAt: at + FUNDING_MILLIS }
      const told = {
        fundingId,
        dealerAccountId,
        tradingAccountId,
        asset,
        direction,
        amount,
        settled: Decimal.ZERO,
        ...times,
      }
      const act: Act = {
        ...actOf("dealer.fund", request, principal, dealer),
        actId: fundingId,
        otherId: tradingAccountId,
        asset,
        amount: amount.toString(),
        what: direction,
      }
      const stored = acts.commit(act, () =>
        rows.insertFunding(told, { actor: act.actor, right: "ADMIN" }, dealer.tenantId),
      )
      return relayed(
        Effect.map(stored, (funding) => reply.ok(fundingRecord(funding))),
        reply,
      )
    },

    hedgeResolve: ({ body, principal, request }, reply) => {
      const dealer = dealerOf(directory, principal, body.dealerAccountId)
      if (isFailure(dealer)) return reply.relay(dealer)
      const { executedQuantity, averagePrice } = body
      const tradeOrderId = body.tradeOrderId.toLowerCase() as TradeOrderId
      const act: Act = {
        ...actOf("dealer.resolve_hedge", request, principal, dealer),
        otherId: tradeOrderId,
        amount: executedQuantity,
        ...(averagePrice != null && { what: `at ${averagePrice}` }),
      }
      const done = resolving(dealer, {
        _tag: "ResolveHedge",
        tradeOrderId,
        executedQuantity: Decimal.of(executedQuantity),
        averagePrice: averagePrice == null ? null : Decimal.of(averagePrice),
        asked: { act, right: "ADMIN" },
      })
      return relayed(
        Effect.map(done, ({ hedging }) => reply.ok(hedging)),
        reply,
      )
    },
  }
}
