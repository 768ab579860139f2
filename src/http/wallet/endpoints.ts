/** Wallets of the ledger: create, read, move money between one's own, close; admins fund and freeze (contract C9, C14, C16). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { COUNTED_MAX } from "../../domain/counted.ts"
import { PositiveDecimalText } from "../../domain/decimal.ts"
import { InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import { ConflictingParameters, InvalidCursor, InvalidParameter } from "../../domain/errors/request.ts"
import { InsufficientBalance } from "../../domain/errors/risk.ts"
import {
  AssetScaleExceeded,
  LedgerConflict,
  OnlyFullWithdrawal,
  SameWallet,
  WalletClosed,
  WalletFailed,
  WalletFrozen,
  WalletHasHolds,
  WalletNotFound,
  WalletsUnrelated,
} from "../../domain/errors/wallet.ts"
import { UserId } from "../../domain/ids.ts"
import { AssetText, TransferCode, WalletId, WalletRecord, WalletType } from "../../domain/wallet/wallet.ts"
import { Fail, Ok, Page } from "../edge/envelope.ts"
import { Access, always, Fresh, KnowsRepeats, Query } from "../edge/route.ts"
import { Ask, optional, text } from "../edge/wire-text.ts"

/** What moving money may answer beside its own. */
const moving = [
  WalletNotFound,
  WalletFrozen,
  WalletClosed,
  OnlyFullWithdrawal,
  InsufficientBalance,
  AssetScaleExceeded,
  InvalidParameter,
  LedgerConflict,
  WalletFailed,
] as const

const create = HttpApiEndpoint.post("create", "/api/v3/wallet/create")
  .setPayload(
    Schema.Struct({ nickname: optional(text(128)) }).annotations({
      identifier: "CreateWallet",
      examples: [{ nickname: "Savings" }],
    }),
  )
  .addSuccess(Ok(WalletRecord))
  .addError(Fail(WalletFailed))
  .annotate(Access, "write")
  .annotate(KnowsRepeats, true)
  .annotate(OpenApi.Summary, "Create a wallet")
  .annotate(
    OpenApi.Description,
    "Creates an empty CLIENT wallet that you own. The nickname is returned in metadata.nickname. The number per user is limited (-150000), closed ones included.",
  )

const get = HttpApiEndpoint.get("get", "/api/v3/wallet/get")
  .setUrlParams(Query({ walletId: WalletId }))
  .addSuccess(Ok(WalletRecord))
  .addError(Fail(WalletNotFound))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "Get a wallet")
  .annotate(OpenApi.Description, "The wallet with its balances: balance = available + held.")

const list = HttpApiEndpoint.get("list", "/api/v3/wallet/list")
  .setUrlParams(
    Query({
      walletType: Schema.optional(WalletType),
      userId: Schema.optional(UserId),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offset,
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(WalletRecord))
  .addError(Fail(InsufficientPermissions, InvalidCursor, ConflictingParameters))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List wallets")
  .annotate(
    OpenApi.Description,
    "Your wallets with their balances, newest first. Admins may give userId; for them walletType ACCOUNTING lists the installation's own wallets and the books of dealers (dealerAccountId; metadata.purpose PROFIT, POSITION, TRADING or LOSS), and DEALER those that dealers deliver from.",
  )

const Transfer = Schema.Struct({
  sourceWalletId: WalletId,
  destWalletId: WalletId,
  asset: AssetText,
  amount: PositiveDecimalText,
}).annotations({
  identifier: "WalletTransfer",
  examples: [
    {
      sourceWalletId: WalletId.make("0192a4f4-1b5c-7a34-9a4e-5f1d2c3b4a59"),
      destWalletId: WalletId.make("0192a4f4-2c6d-7b45-8b5f-6a2e3d4c5b60"),
      asset: "USDT",
      amount: PositiveDecimalText.make("12.5"),
    },
  ],
})

const transfer = HttpApiEndpoint.post("transfer", "/api/v3/wallet/transfer")
  .setPayload(Transfer)
  .addSuccess(Ok(Schema.Literal("ok")))
  .addError(Fail(SameWallet, WalletsUnrelated, ...moving))
  .annotate(Access, "write")
  .annotate(KnowsRepeats, true)
  .annotate(OpenApi.Summary, "Move money between your wallets")
  .annotate(
    OpenApi.Description,
    "Both wallets must be yours. Money in a wallet without a dealer may go to any wallet; in a dealer's wallet it stays with that dealer (-150005). Responds after the commit. At most 10^24 per transfer (-150000). With an Idempotency-Key a repeat moves nothing and returns the result of the first call, even if its response was lost; after a refusal the key may be used again, also for the same request.",
  )

const Funding = Schema.Struct({ walletId: WalletId, asset: AssetText, amount: PositiveDecimalText })

const deposit = HttpApiEndpoint.post("deposit", "/api/v3/wallet/deposit")
  .setPayload(Funding.annotations({ identifier: "WalletDeposit" }))
  .addSuccess(Ok(WalletRecord))
  .addError(Fail(...moving))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(KnowsRepeats, true)
  .annotate(OpenApi.Summary, "Fund a wallet (admin)")
  .annotate(
    OpenApi.Description,
    "Extension: books money received from outside, against the installation's ACCOUNTING wallet. At most 10^24 per call (-150000).",
  )

const withdraw = HttpApiEndpoint.post("withdraw", "/api/v3/wallet/withdraw")
  .setPayload(Funding.annotations({ identifier: "WalletWithdrawal" }))
  .addSuccess(Ok(WalletRecord))
  .addError(Fail(...moving))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(KnowsRepeats, true)
  .annotate(OpenApi.Summary, "Pay out of a wallet (admin)")
  .annotate(
    OpenApi.Description,
    "Extension: books money paid to the outside. From a CLOSED wallet only the whole balance of an asset.",
  )

const one = (name: string) => Schema.Struct({ walletId: WalletId }).annotations({ identifier: name })

const freeze = HttpApiEndpoint.post("freeze", "/api/v3/wallet/freeze")
  .setPayload(one("FreezeWallet"))
  .addSuccess(Ok(WalletRecord))
  .addError(Fail(WalletNotFound, WalletClosed, WalletFailed))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Freeze a wallet (admin)")
  .annotate(OpenApi.Description, "Blocks all transfers in and out; existing holds remain and may only be released.")

const unfreeze = HttpApiEndpoint.post("unfreeze", "/api/v3/wallet/unfreeze")
  .setPayload(one("UnfreezeWallet"))
  .addSuccess(Ok(WalletRecord))
  .addError(Fail(WalletNotFound, WalletClosed, WalletFailed))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Unfreeze a wallet (admin)")
  .annotate(OpenApi.Description, "ACTIVE again.")

const close = HttpApiEndpoint.post("close", "/api/v3/wallet/close")
  .setPayload(one("CloseWallet"))
  .addSuccess(Ok(WalletRecord))
  .addError(Fail(WalletNotFound, WalletHasHolds, WalletClosed, WalletFailed))
  .annotate(Access, "write")
  .annotate(OpenApi.Summary, "Close a wallet")
  .annotate(
    OpenApi.Description,
    "Permanent, from any state; refused while anything is held. The remaining balance may be withdrawn once, each asset in full; if the wallet was frozen, only by an admin.",
  )

const StatementRow = Schema.Struct({
  transferId: Schema.String,
  walletId: Schema.String,
  direction: Schema.Literal("DEBIT", "CREDIT").annotations({ description: "DEBIT: out of this wallet" }),
  counterWalletId: Schema.NullOr(Schema.String).annotations({ description: "null: not visible to you" }),
  kind: Schema.Literal("single", "pending", "post", "void").annotations({
    description: "pending: a hold; post ends it and moves all or part of its amount, void ends it and moves nothing",
  }),
  pendingId: Schema.NullOr(Schema.String).annotations({ description: "The hold that this transfer ends" }),
  asset: Schema.String,
  amount: Schema.String.annotations({ description: "For a void: the amount released" }),
  code: TransferCode,
  reference: Schema.NullOr(Schema.String),
  expiresAt: Schema.NullOr(Schema.Int),
  expiresAtDateTime: Schema.NullOr(Schema.String),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
}).annotations({ identifier: "WalletTransferRecord" })
export type StatementRow = typeof StatementRow.Type

const statement = HttpApiEndpoint.get("transferList", "/api/v3/wallet/transfer/list")
  .setUrlParams(
    Query({
      walletId: WalletId,
      asset: Schema.optional(AssetText),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offsetUpTo(COUNTED_MAX),
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(StatementRow))
  .addError(Fail(WalletNotFound, InvalidCursor, ConflictingParameters))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "Statement of a wallet")
  .annotate(OpenApi.Description, "Extension: every transfer in, out and held, newest first.")

export class WalletApi extends HttpApiGroup.make("wallet")
  .add(create)
  .add(get)
  .add(list)
  .add(transfer)
  .add(deposit)
  .add(withdraw)
  .add(freeze)
  .add(unfreeze)
  .add(close)
  .add(statement)
  .annotate(OpenApi.Title, "Wallets")
  .annotate(OpenApi.Description, "The ledger: the money held for you here, and its transfers.") {}
