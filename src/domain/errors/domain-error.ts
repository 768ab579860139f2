/**
 * Every failure a caller can act on: tagged errors that know no HTTP, in a file for each section of contract C12. Each edge has one table
 * by tag (`http/edge/errno.ts`), and a tag without a row does not compile. The fields of an error become `details.metadata` of the answer.
 */
import type * as ApiKey from "./api-key.ts"
import type * as Authentication from "./authentication.ts"
import type * as Authorisation from "./authorisation.ts"
import type * as Credential from "./credential.ts"
import type * as Dealer from "./dealer.ts"
import type * as Limits from "./limits.ts"
import type * as Market from "./market.ts"
import type * as OrderParameters from "./order-parameters.ts"
import type * as Quote from "./quote.ts"
import type * as Request from "./request.ts"
import type * as Risk from "./risk.ts"
import type * as Service from "./service.ts"
import type * as TradeOrder from "./trade-order.ts"
import type * as TradingAccount from "./trading-account.ts"
import type * as User from "./user.ts"
import type * as Venue from "./venue.ts"
import type * as Wallet from "./wallet.ts"

type Failure<Class> = Class extends abstract new (...fields: never) => infer Made ? Made : never
type FailuresOf<Section> = { readonly [Name in keyof Section]: Failure<Section[Name]> }[keyof Section]

/** What the sections export, all of it. */
export type DomainError =
  | FailuresOf<typeof ApiKey>
  | FailuresOf<typeof Authentication>
  | FailuresOf<typeof Authorisation>
  | FailuresOf<typeof Credential>
  | FailuresOf<typeof Dealer>
  | FailuresOf<typeof Limits>
  | FailuresOf<typeof Market>
  | FailuresOf<typeof OrderParameters>
  | FailuresOf<typeof Quote>
  | FailuresOf<typeof Request>
  | FailuresOf<typeof Risk>
  | FailuresOf<typeof Service>
  | FailuresOf<typeof TradeOrder>
  | FailuresOf<typeof TradingAccount>
  | FailuresOf<typeof User>
  | FailuresOf<typeof Venue>
  | FailuresOf<typeof Wallet>
