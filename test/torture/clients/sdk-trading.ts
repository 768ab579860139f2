/** What one bot of `sdk-bots` was asked for and answered, as the run and its judge see it. */
import type { SubmitOrder } from "../../../clients/typescript/src/index.ts"
import type { Api } from "../../kit/servers/gateway.ts"
import type { SdkBot } from "./sdk-process.ts"

/** One order that a bot was asked for, and every answer about its key. */
export interface Asked {
  readonly order: SubmitOrder
  key: string | null
  readonly ids: Set<string>
  refused: string | null
  /** How often nobody could say. */
  unanswered: number
}

export interface Trading {
  readonly bot: SdkBot
  readonly venue: "BINANCE" | "MOCK"
  /** At the exchange. */
  readonly exchangeKey: string
  /** Past the proxy, by a session. */
  readonly calls: Api
  readonly tradingAccountId: string
  readonly asked: Array<Asked>
  readonly resting: Array<string>
}
