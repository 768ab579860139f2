/** Dealers: provisioned here, changed by their actors, read from the directory. */
import { randomBytes } from "node:crypto"
import { Effect, Fiber } from "effect"
import type { AccountDirectory } from "../../actors/account-directory.ts"
import type { TradingAccounts } from "../../actors/account-messages.ts"
import type { DealerDirectory } from "../../actors/dealer-directory.ts"
import type { Dealers } from "../../actors/dealer-messages.ts"
import { type Dealer, type DealerStatus, dealerRecord } from "../../domain/dealer.ts"
import { configFault, dealerConfigOf } from "../../domain/dealer-config.ts"
import { Decimal } from "../../domain/decimal.ts"
import { InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import type { DealerAccountId, TradingAccountId } from "../../domain/ids.ts"
import { INTERNAL } from "../../domain/internal-order.ts"
import type { TradingAccount } from "../../domain/trading-account.ts"
import type { Principal } from "../../domain/user.ts"
import { newWallet, type Wallet, type WalletId } from "../../domain/wallet.ts"
import type { Accounts } from "../../store/accounts.ts"
import type { DealerRows } from "../../store/dealers.ts"
import { MAKING_TIMES, seenThrough } from "../../store/storage-failure.ts"
import type { Wallets } from "../../store/wallets.ts"
import { accountOf } from "../account-access.ts"
import { isFailure, relayed } from "../answers.ts"
import { REPLAYED } from "../idempotency.ts"
import { type Cursors, pageOf, sortedBy, timeKey } from "../pagination.ts"
import type { Claim, Handlers, HttpReply } from "../route.ts"
import type { VenueGate } from "../venue-gate.ts"
import { dealerOf, isDealersSide } from "./dealer-access.ts"
import type { DealerApi, DealerDetail } from "./endpoints.ts"

export interface DealerHandlerParts {
  readonly dealers: Dealers["Type"]
  readonly directory: DealerDirectory
  readonly rows: Pick<DealerRows, "insert">
  readonly accountRows: Pick<Accounts, "insertInternalAccount">
  readonly wallets: Pick<Wallets, "insert">
  readonly accounts: AccountDirectory
  readonly tradingAccounts: TradingAccounts["Type"]
  readonly gate: VenueGate
  readonly cursors: Cursors
  readonly now: () => number
  readonly uuid: () => string
}

/** How long create waits for the dealer's own account. */
const READY_MILLIS = 10_000

export const dealerHandlers = (parts: DealerHandlerParts): Handlers<typeof DealerApi> => {
  const { dealers, directory, rows, accountRows, wallets, accounts, tradingAccounts, gate, cursors, now, uuid } = parts

  /** As its own admin made it: dealer, account and wallet, none of them stored yet. */
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
        userId,
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
        { walletId, tenantId, walletType: "DEALER", userId, dealerAccountId, metadata: { nickname: asked.name } },
        at,
      ),
    }
  }

  const setStatus =
    (status: DealerStatus) =>
    (
      { body, principal }: { readonly body: { readonly dealerAccountId: string }; readonly principal: Principal },
      reply: Pick<HttpReply<ReturnType<typeof dealerRecord>, never>, "ok" | "relay">,
    ): void => {
      const dealer = dealerOf(directory, principal, body.dealerAccountId)
      if (isFailure(dealer)) return reply.relay(dealer)
      dealers.post(dealer.dealerAccountId, {
        _tag: "SetDealerStatus",
        status,
        reply: { ok: (changed) => reply.ok(recordOf(changed, true)), fail: reply.relay },
      })
    }

  /** Accounts that are disconnected are linked no longer. */
  const recordOf = (dealer: Dealer, full: boolean) => {
    const linkedAccountIds = dealer.linkedAccountIds.filter((id) => accounts.find(id)?.status !== "DISCONNECTED")
    return dealerRecord({ ...dealer, linkedAccountIds }, full)
  }

  /** Of one's own account, as admin or operator of the dealer. */
  const linkOf = (
    principal: Principal,
    body: { readonly dealerAccountId: string; readonly tradingAccountId: string },
  ): { readonly dealer: Dealer; readonly account: TradingAccount } | DomainError => {
    const dealer = dealerOf(directory, principal, body.dealerAccountId)
    if (isFailure(dealer)) return dealer
    const account = accountOf(accounts, principal, body.tradingAccountId, "write")
    if (isFailure(account)) return account
    if (isDealersSide(principal, dealer)) return { dealer, account }
    return new InsufficientPermissions({ required: ["admin"], provided: [...principal.permissions] })
  }

  return {
    create: ({ body, principal, claim }, reply) => {
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
      const stored = rows.insert(dealer, accountRows.insertInternalAccount(account, wallets.insert(wallet)))
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

    pause: setStatus("PAUSED"),
    resume: setStatus("ACTIVE"),
    archive: setStatus("ARCHIVED"),

    accountLink: ({ body, principal }, reply) => {
      const link = linkOf(principal, body)
      if (isFailure(link)) return reply.relay(link)
      const { dealer, account } = link
      if (account.tradingAccountId === dealer.tradingAccountId)
        return reply.fail(
          new InvalidParameter({ parameter: "tradingAccountId", reason: "is the dealer's own account" }),
        )
      return dealers.post(dealer.dealerAccountId, {
        _tag: "LinkAccount",
        tradingAccountId: account.tradingAccountId,
        reply: { ok: () => reply.ok("ok"), fail: reply.relay },
      })
    },

    accountUnlink: ({ body, principal }, reply) => {
      const link = linkOf(principal, body)
      if (isFailure(link)) return reply.relay(link)
      return dealers.post(link.dealer.dealerAccountId, {
        _tag: "UnlinkAccount",
        tradingAccountId: link.account.tradingAccountId,
        reply: { ok: () => reply.ok("ok"), fail: reply.relay },
      })
    },
  }
}
