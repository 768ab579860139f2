/** Where an actor lives. One process owns everything today; the seam keeps several processes from being a rewrite. */
import { Context } from "effect"
import type { TradingAccountId } from "../domain/ids.ts"

export class Placement extends Context.Tag("ports/Placement")<
  Placement,
  { readonly of: (account: TradingAccountId) => "here" | { readonly node: string } }
>() {}
