/** The record of an account that is being connected. */
import { randomBytes } from "node:crypto"
import type { TradingAccountId } from "../../domain/ids.ts"
import type { TradingAccount } from "../../domain/trading-account.ts"
import type { ConnectParts, ConnectRequest } from "./connect.ts"

/** What a new account is before anything is known of it but the request. */
export const newAccount = (
  parts: Pick<ConnectParts, "now" | "uuid" | "initialBalances">,
  request: ConnectRequest,
  externalId: string,
): TradingAccount => {
  const at = parts.now()
  return {
    tradingAccountId: parts.uuid() as TradingAccountId,
    tenantId: request.principal.tenantId,
    userId: request.principal.userId,
    version: 1,
    venue: request.venue.venue,
    externalTradingAccountId: externalId,
    nickname: request.nickname ?? request.venue.name,
    status: "CREATED",
    walletId: null,
    dealerAccountId: null,
    credentials: [],
    initialBalances: Object.entries(parts.initialBalances[request.venue.venue] ?? {}),
    channelEpoch: randomBytes(6).toString("base64url"),
    createdAt: at,
    updatedAt: at,
    disconnectedAt: null,
    cancelAllAt: null,
  }
}
