/**
 * Scoreboard S8: addresses in every text field of every endpoint lead nowhere. Every connection of the process and of its threads is written
 * down, and refused when it would leave this machine: the only ones are to hosts that the code itself names.
 */

import { afterAll, beforeAll, expect, it } from "vitest"
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import { URLS } from "../../kit/http-fuzz/bad-values.ts"
import { fuzzEnvironment } from "../../kit/http-fuzz/fuzz-gateway.ts"
import { allLeaves, ask, isText, shotAt } from "../../kit/http-fuzz/table-run.ts"
import { signUpFounder } from "../../kit/servers/founder.ts"
import { api, endGateways, type Gateway, startGateway } from "../../kit/servers/gateway.ts"
import { isAskedHere } from "./bad-inputs-stage.ts"

/** Loaded before anything of ours, by every thread. */
const WATCH = `
import net from "node:net"
import { writeSync } from "node:fs"
const connect = net.Socket.prototype.connect
net.Socket.prototype.connect = function (...given) {
  const first = Array.isArray(given[0]) ? given[0][0] : given[0]
  const { host, port, path } = typeof first === "object" ? first : { port: first, host: given[1] }
  if (path !== undefined) return connect.apply(this, given)
  const name = host ?? "localhost"
  writeSync(2, "connects to " + name + ":" + port + "\\n")
  if (/^(localhost|::1|127\\.)/.test(name)) return connect.apply(this, given)
  const refusal = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })
  setImmediate(() => this.destroy(refusal))
  return this
}`

const VENUE = "BINANCE_UAT"
const hosts = PROFILES.filter(({ venue }) => venue === VENUE).flatMap((profile) => profile.hosts)

let gateway: Gateway
beforeAll(async () => {
  const { VENUES_INACTIVE } = fuzzEnvironment
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(WATCH)}`
  gateway = await startGateway({ env: { VENUES_INACTIVE, NODE_OPTIONS, MOCK_TICK_MS: "0" } })
})
afterAll(endGateways)

const connections = (): ReadonlyArray<string> =>
  [...gateway.stderr().matchAll(/^connects to (.*)$/gm)].map(([, target]) => target ?? "")

it("an address in a request is text: nobody is visited", async () => {
  const port = Number(new URL(gateway.http).port)
  const token = (await signUpFounder(gateway, "ada@example.com")).accessToken
  const ada = api(gateway).as(token)
  const shots = allLeaves()
    .filter(({ ast, route }) => isText(ast) && isAskedHere(route.name))
    .flatMap((leaf) => URLS.map((url) => shotAt(leaf, url, token)))
  expect(shots.length).toBeGreaterThan(500)
  const answers = await ask(port, shots)
  // What went wrong is in the gateway's log alone.
  const broken = answers.filter(({ status }) => status === 0 || status === 500)
  expect(broken, gateway.stderr().replaceAll(/^connects to .*\n/gm, "")).toEqual([])
  const place = async (url: string): Promise<void> => {
    const places = { url, proxy: url, webhook: url, httpProxy: url, urls: { api: url }, options: { proxyUrl: url } }
    await ada.post("/auth/user/update", { metadata: places })
    const dealer = { name: url, baseCurrencies: ["USDT"] }
    await ada.post("/dealer/create", dealer)
    await ada.post("/market/instrument/sync", { venue: VENUE })
    const refused = [
      await ada.post("/dealer/create", { ...dealer, config: places }),
      await ada.post("/dealer/create", { ...dealer, ...places }),
      await ada.post("/market/instrument/sync", { venue: VENUE, ...places }),
      await ada.createCredential({ venue: VENUE, apiKey: url, apiSecret: url, proxy: url }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400])
  }
  // A connector of its own each: what comes with a credential is for the venue's eyes, as text.
  const prove = (url: string) => ada.createCredential({ venue: VENUE, apiKey: url, apiSecret: url, apiPassphrase: url })
  await Promise.all(URLS.flatMap((url) => [place(url), prove(url)]))
  const outside = connections().filter((target) => !/^(localhost|::1|127\.0\.0\.1):/.test(target))
  expect(outside.length).toBeGreaterThan(0)
  expect([...new Set(outside)].filter((target) => !hosts.includes(target))).toEqual([])
  const planted = /^127\.0\.0\.1:(22|6379|1080)$/
  expect(connections().filter((target) => planted.test(target))).toEqual([])
})
