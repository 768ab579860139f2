/**
 * Listen keys: one an account, for all of its sockets, valid for an hour from its last POST or PUT. They are asked for with the API key alone,
 * without a signature. Source: developers.binance.com, USDS-margined futures, "User Data Streams".
 */
import { randomBytes } from "node:crypto"
import { unknownKey } from "../binance/wire/refusal.ts"
import type { Core } from "./core.ts"
import type { UsdmAccount } from "./model.ts"
import { emptyListenKey } from "./refusal.ts"

const VALID_MILLIS = 3_600_000

const isValid = (core: Core, { listenKey }: UsdmAccount): boolean =>
  listenKey !== undefined && listenKey.validUntil > core.now()

/** POST gives the key that there is, or a new one. */
const begin = (core: Core, account: UsdmAccount) => {
  const known = isValid(core, account) ? account.listenKey : undefined
  account.listenKey = { key: known?.key ?? randomBytes(32).toString("hex"), validUntil: core.now() + VALID_MILLIS }
  return { listenKey: account.listenKey.key }
}

const extend = (core: Core, account: UsdmAccount) => {
  if (!isValid(core, account)) throw emptyListenKey()
  return begin(core, account)
}

export type KeyRoute = (core: Core, apiKey: string | undefined) => object

const of =
  (route: (core: Core, account: UsdmAccount) => object): KeyRoute =>
  (core, apiKey) => {
    const account = core.accounts.get(apiKey ?? "")
    if (account === undefined) throw unknownKey()
    return route(core, account)
  }

/** `end` cuts the sockets of a key. */
export const listenKeyRoutes = (end: (key: string) => void): ReadonlyMap<string, KeyRoute> =>
  new Map([
    ["POST /fapi/v1/listenKey", of(begin)],
    ["PUT /fapi/v1/listenKey", of(extend)],
    [
      "DELETE /fapi/v1/listenKey",
      of((_, account) => {
        const key = account.listenKey?.key
        account.listenKey = undefined
        if (key !== undefined) end(key)
        return {}
      }),
    ],
  ])
