/** An unmodified ccxt.pro client of OKX for tests against the loopback exchange; waiting and failing as in ../ccxt-client.ts. */
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { PATIENCE_MILLIS, type Settings } from "../ccxt-client.ts"
import { type Routes, routeCcxt } from "../route-ccxt.ts"

export type Okx = InstanceType<typeof import("ccxt").pro.okx>

const packageRoot = join(dirname(createRequire(import.meta.url).resolve("ccxt")), "..")
const { default: OkxClass }: { default: new (settings: Settings) => Okx } = await import(
  pathToFileURL(join(packageRoot, "js/src/pro/okx.js")).href
)

/** A spot-only client; `close()` is the caller's. */
export const connectOkx = (routes: Routes, settings: Settings, options: Settings = {}): Okx => {
  const client = new OkxClass({
    timeout: PATIENCE_MILLIS,
    ...settings,
    options: { fetchMarkets: { types: ["spot"] }, ...options },
  })
  routeCcxt(client, routes)
  return client
}
