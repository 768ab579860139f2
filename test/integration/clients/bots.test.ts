/**
 * The bots of docs/examples/bots/typescript as a user has them: copied into a folder of their own, with the client as it is published. The one thing to
 * know: what they say of themselves is compared with what the gateway says over another way.
 */
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { scratchDirectory } from "../../kit/postgres.ts"
import { type CutProxy, cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { type Example, endExamples, runExample } from "../../kit/servers/example.ts"
import {
  type Api,
  api,
  endGateways,
  PASSWORD,
  type Gateway as Process,
  startGateway,
  until,
} from "../../kit/servers/gateway.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const folder = `${scratchDirectory("bots")}/`

/** The client where `npm install` puts it, and the bots beside it. */
const layBots = (): void => {
  cpSync(join(root, "docs/examples/bots/typescript"), folder, { recursive: true })
  const client = join(folder, "node_modules/@venue-gateway/client")
  mkdirSync(client, { recursive: true })
  cpSync(join(root, "clients/typescript/package.json"), join(client, "package.json"))
  symlinkSync(join(root, "node_modules/centrifuge"), join(folder, "node_modules/centrifuge"))
  const compiler = join(root, "node_modules/typescript-native/bin/tsc")
  const project = join(root, "clients/typescript/tsconfig.json")
  execFileSync(process.execPath, [compiler, "-p", project, "--outDir", join(client, "dist")])
}

let gateway: Process
let cuts: CutProxy

beforeAll(async () => {
  layBots()
  gateway = await startGateway()
  cuts = await cutProxy({ host: "127.0.0.1", port: Number(new URL(gateway.http).port) })
})
afterAll(async () => {
  await endExamples()
  await cuts.close()
  await endGateways()
  rmSync(folder, { recursive: true, force: true })
})

interface Owner {
  /** By a session, past the proxy. */
  readonly calls: Api
  readonly run: (name: string, env?: Readonly<Record<string, string>>) => Example
}

/** One who has made a key by the example, and runs the others with it. */
const newOwner = async (url = gateway.http): Promise<Owner> => {
  const email = `owner-${randomUUID()}@example.com`
  const person = { GATEWAY_URL: url, EMAIL: email, PASSWORD }
  const line = await runExample("make-key.mjs", person, folder).line(/^export GATEWAY_KEY=vgk_/)
  const key = { GATEWAY_URL: url, GATEWAY_KEY: line.split("=")[1]! }
  return {
    calls: api(gateway).as((await api(gateway).login(email)).record.accessToken),
    run: (name, env = {}) => runExample(name, { ...key, ...env }, folder),
  }
}

const ordersOf = async ({ calls }: Owner) => (await calls.orders({ limit: 1000 })).record
const workingOf = async (owner: Owner) =>
  (await ordersOf(owner)).filter(({ status }) => status === "PENDING" || status === "OPEN")

describe("the first bot", () => {
  it("buys once and sees its order's end", async () => {
    const owner = await newOwner()
    const bot = owner.run("first-bot.mjs")
    await bot.line(/^Stored$/)
    await bot.line(/^FILLED: 0\.001 at \d/)
    expect([await bot.ended, bot.errors()]).toEqual([0, ""])
    expect((await ordersOf(owner)).map(({ status }) => status)).toEqual(["FILLED"])
  })
})

describe("the program of the README", () => {
  it("runs with a key that is limited to an account", async () => {
    const [, program = ""] =
      /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, "clients/typescript/README.md"), "utf8")) ?? []
    writeFileSync(join(folder, "readme.mjs"), program)
    const email = `reader-${randomUUID()}@example.com`
    const owner = api(gateway).as((await api(gateway).signup(email)).record.accessToken)
    const { tradingAccountId } = (await owner.connectMock("examples")).record
    const terms = { name: "first bot", scopes: ["trade"], tradingAccountIds: [tradingAccountId] }
    const { apiKey } = (await owner.post<{ apiKey: string }>("/apiKey/create", terms)).record
    const env = { GATEWAY_URL: gateway.http, GATEWAY_KEY: apiKey }
    const bot = runExample("readme.mjs", env, folder)
    expect([await bot.ended, bot.errors()]).toEqual([0, ""])
    expect(bot.lines.at(-1)).toMatch(/^FILLED: 0\.01 at \d|^OPEN: /)
    const named = runExample("first-bot.mjs", env, folder)
    expect([await named.ended, named.errors()]).toEqual([0, ""])
  })
})

describe("the market maker", () => {
  it("keeps one order on each side; killed in the middle of it, the next one doubles none; ended, it leaves none", async () => {
    const owner = await newOwner(`http://127.0.0.1:${cuts.port}`)
    const keysFile = join(folder, "maker-keys.jsonl")
    const env = { KEYS_FILE: keysFile, PERIOD_MS: "50" }
    const both = async (maker: Example): Promise<void> => {
      await maker.line(/^BUY 0\.01 at/)
      await maker.line(/^SELL 0\.01 at/)
    }
    const first = owner.run("market-maker.mjs", env)
    await both(first)
    first.kill("SIGKILL")
    await first.ended
    const second = owner.run("market-maker.mjs", env)
    await second.line(/the book is whole/)
    cuts.cut()
    await second.line(/not to be traded on: CUT/)
    cuts.mend()
    await second.line(
      /the book is whole/,
      second.lines.findIndex((line) => line.includes("CUT")),
    )
    await until("an order on each side, and no more", async () => {
      const sides = (await workingOf(owner)).map(({ orderSide }) => orderSide).toSorted()
      return sides.join() === "BUY,SELL"
    })
    second.kill("SIGTERM")
    await second.line(/^ended: all orders are cancelled$/)
    expect([await second.ended, await workingOf(owner)]).toEqual([0, []])
    // Every order there has a key that was on disk before, and no key two orders.
    const kept = new Set(
      readFileSync(keysFile, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).key),
    )
    const keys = (await ordersOf(owner)).map(({ idempotencyKey }) => idempotencyKey)
    expect(keys.filter((key) => !kept.has(key))).toEqual([])
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe("the recorder", () => {
  it("writes a book that is proven, and each loss of it", async () => {
    const owner = await newOwner(`http://127.0.0.1:${cuts.port}`)
    const recorder = owner.run("recorder.mjs", { VERIFY_MS: "100", DEPTH: "3" })
    await recorder.line(/"kind":"verified","isSame":true/)
    await recorder.line(/"kind":"trade"/)
    cuts.cut()
    await recorder.line(/"kind":"trust","why":"CUT"/)
    const cutAt = recorder.lines.findIndex((line) => line.includes('"CUT"'))
    cuts.mend()
    await recorder.line(/"kind":"trust","why":null/, cutAt)
    await recorder.line(/"kind":"verified","isSame":true/, cutAt)
    recorder.kill("SIGTERM")
    expect(await recorder.ended).toBe(0)
    const lines = recorder.lines.map((line) => JSON.parse(line))
    expect(lines.filter(({ isSame }) => isSame === false)).toEqual([])
    const books = lines.filter(({ kind }) => kind === "book")
    expect(books.every(({ bids, asks }) => bids.length === 3 && asks.length === 3)).toBe(true)
  })
})
