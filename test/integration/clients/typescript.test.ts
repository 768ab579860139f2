/**
 * The TypeScript client against a real gateway, behind a proxy that loses answers and cuts connections: its five helpers, each at the failure
 * that it is there for. The one thing to know: what the client believes is compared with what the gateway itself says over another way.
 */
import { generateKeyPairSync, randomUUID, sign } from "node:crypto"
import nodeProcess from "node:process"
import { Centrifuge as ProtobufCentrifuge } from "centrifuge/build/protobuf"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import {
  Account,
  type AccountEvent,
  awaitClosed,
  Book,
  type Distrust,
  Gateway,
  GatewayError,
  keepAlive,
  NoAnswer,
  type Resynced,
  type SubmitOrder,
  submit,
} from "../../../clients/typescript/src/index.ts"
import { type CutProxy, cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { type LossyProxy, lossyProxy } from "../../kit/proxies/lossy-proxy.ts"
import {
  type Api,
  api,
  endGateways,
  PASSWORD,
  type Gateway as Process,
  startGateway,
  until,
} from "../../kit/servers/gateway.ts"

let process: Process
let cuts: CutProxy
let losses: LossyProxy
const opened: Array<Gateway> = []

const { privateKey } = generateKeyPairSync("ed25519")
const SIGNING_KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString()

beforeAll(async () => {
  process = await startGateway({ env: { SIGNING_KEY } })
  const target = { host: "127.0.0.1", port: Number(new URL(process.http).port) }
  cuts = await cutProxy(target)
  losses = await lossyProxy(target)
})
afterEach(() => {
  cuts.mend()
  for (const gateway of opened.splice(0)) gateway.close()
})
afterAll(async () => {
  await cuts.close()
  await losses.close()
  await endGateways()
})

interface Bot {
  readonly gateway: Gateway
  /** Around the client and the proxies. */
  readonly calls: Api
  readonly tradingAccountId: string
  readonly order: SubmitOrder
}

/** What one sample alone allows, doubled: a loaded machine answers late. */
const HEALTH_KEPT_MS = 1_000

const at = (port: number): string => `http://127.0.0.1:${port}`

const userOf = async (gateway: Process): Promise<{ readonly email: string; readonly password: string }> => {
  const email = `bot-${randomUUID()}@example.com`
  await api(gateway).signup(email)
  return { email, password: PASSWORD }
}

const newBot = async (
  url = process.http,
  options: Partial<ConstructorParameters<typeof Gateway>[0]> = {},
): Promise<Bot> => {
  const email = `bot-${randomUUID()}@example.com`
  const calls = api(process).as((await api(process).signup(email)).record.accessToken)
  const centrifuge = { minReconnectDelay: 20, maxReconnectDelay: 100 }
  const gateway = new Gateway({ url, as: { email, password: PASSWORD }, webSocket: WebSocket, centrifuge, ...options })
  opened.push(gateway)
  const { tradingAccountId } = (await calls.connectMock()).record
  const order = {
    tradingAccountId,
    instrumentId: "MOCK:BTC/USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    quantity: "0.001",
    limitPrice: "40000",
  } as const
  return { gateway, calls, tradingAccountId, order }
}

/** The same token as the gateway signs it, an hour after its end. */
const expired = (token: string): string => {
  const [head = "", body = ""] = token.split(".")
  const claims = JSON.parse(Buffer.from(body, "base64url").toString("utf8")) as { readonly exp: number }
  const past = { ...claims, exp: Math.floor(Date.now() / 1_000) - 3_600 }
  const text = `${head}.${Buffer.from(JSON.stringify(past)).toString("base64url")}`
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString("base64url")}`
}

const ordersOf = async ({ calls, tradingAccountId }: Bot): Promise<number> =>
  (await calls.get("/tradeOrder/list", { tradingAccountId })).envelope.pagination?.total ?? -1

describe("calls", () => {
  it("refusals have the failure's name, status and figures; misspelt fields do not compile", async () => {
    const { gateway, order } = await newBot()
    const refused = await gateway
      .post("tradeOrder/submit", { ...order, quantity: "100", limitPrice: "59000" })
      .catch((error) => error)
    expect(refused).toBeInstanceOf(GatewayError)
    expect(refused).toMatchObject({ status: 400, code: "INSUFFICIENT_BALANCE", retryAfterMs: null })
    expect(refused.is("INSUFFICIENT_BALANCE", "TOKEN_EXPIRED")).toBe(true)
    expect(refused.metadata).toHaveProperty("available")
    expect(refused.message).toMatch(
      /^POST tradeOrder\/submit: Insufficient balance \(-111000 INSUFFICIENT_BALANCE\): .*available \d/,
    )
    await expect(gateway.post("tradeOrder/submit", { ...order, quantity: "a lot" })).rejects.toThrow(
      /\(-104003 INVALID_PARAMETER\): quantity: \S/,
    )
    // @ts-expect-error: stopLossPrice.
    await expect(gateway.post("tradeOrder/submit", { ...order, stopLossprice: "1" })).rejects.toMatchObject({
      code: "UNKNOWN_FIELD",
    })
  })

  it("a session that ended is renewed under the call, once for all that wait", async () => {
    const { gateway } = await newBot()
    const before = await gateway.get("auth/session/list")
    await gateway.post("auth/logout", {}).catch(() => undefined)
    const users = await Promise.all(Array.from({ length: 5 }, () => gateway.get("auth/user")))
    expect(new Set(users.map(({ id }) => id)).size).toBe(1)
    // The sign-up's own, and one new.
    expect(await gateway.get("auth/session/list")).toHaveLength(before.length)
  })

  it("without an answer a read is repeated, and a write throws NoAnswer", async () => {
    const { gateway, tradingAccountId } = await newBot(at(cuts.port))
    await gateway.get("auth/user")
    cuts.cut()
    await expect(gateway.post("tradeOrder/cancelAll", { tradingAccountId })).rejects.toBeInstanceOf(NoAnswer)
    const reading = gateway.get("tradingAccount/list")
    setTimeout(() => cuts.mend(), 100)
    expect((await reading).map((it) => it.tradingAccountId)).toEqual([tradingAccountId])
  })

  it("pages end with the last item, each once", async () => {
    const bot = await newBot()
    const made: Array<string> = []
    for (let nth = 0; nth < 7; nth++) made.push((await bot.gateway.post("tradeOrder/submit", bot.order)).tradeOrderId)
    const found: Array<string> = []
    const { tradingAccountId } = bot
    for await (const order of bot.gateway.pages("tradeOrder/list", { tradingAccountId, limit: 3 }))
      found.push(order.tradeOrderId)
    expect(found.toSorted()).toEqual(made.toSorted())
  })

  it("the gateway's clock is measured within its own error", async () => {
    const { gateway } = await newBot()
    const { skewMs, errorMs } = await gateway.measureClock()
    // One machine, one clock.
    expect(Math.abs(skewMs)).toBeLessThanOrEqual(errorMs)
    expect(errorMs).toBeLessThanOrEqual(HEALTH_KEPT_MS)
  })
})

describe("submit", () => {
  it("an answer that is lost makes no second order: the same key goes out again, after it was kept", async () => {
    const bot = await newBot(at(losses.port))
    await bot.gateway.get("auth/user")
    const kept: Array<string> = []
    for (let nth = 0; nth < 5; nth++) {
      // The request arrives, and the connection ends where the answer begins.
      losses.lose({ afterBytes: 0, serverIsTold: true })
      const before = losses.losses()
      const attempts: Array<Error> = []
      const submission = await submit(bot.gateway, bot.order, {
        persist: (key) => {
          expect(losses.losses()).toBe(before)
          kept.push(key)
        },
        onAttempt: (error) => attempts.push(error),
      })
      expect(attempts[0]).toBeInstanceOf(NoAnswer)
      expect(submission).toMatchObject({
        outcome: "Replayed",
        key: kept.at(-1),
        order: { idempotencyKey: kept.at(-1) },
      })
    }
    expect(new Set(kept).size).toBe(5)
    expect(await ordersOf(bot)).toBe(5)
  })

  it("Stored and Refused are definite; Unanswered is resolved by its key, also by a later process", async () => {
    const bot = await newBot(at(cuts.port))
    expect(await submit(bot.gateway, bot.order)).toMatchObject({ outcome: "Stored", order: { status: "PENDING" } })
    const refused = await submit(bot.gateway, { ...bot.order, limitPrice: "0.001" })
    expect(refused).toMatchObject({ outcome: "Refused", error: { status: 400 } })
    const order = { ...bot.order, clientOrderId: `mine-${randomUUID()}` }
    cuts.cut()
    const unanswered = await submit(bot.gateway, order, { patienceMs: 300 })
    expect(unanswered).toMatchObject({ outcome: "Unanswered", key: order.clientOrderId })
    cuts.mend()
    const resolved = await submit(bot.gateway, order, { key: unanswered.key })
    expect(resolved).toMatchObject({ outcome: "Stored", order: { clientOrderId: order.clientOrderId } })
    expect(await submit(bot.gateway, order)).toMatchObject({ outcome: "Replayed" })
    expect(await ordersOf(bot)).toBe(2)
  })

  it("a refusal that speaks of itself does not settle an earlier try", async () => {
    const bot = await newBot(at(losses.port))
    await bot.gateway.get("auth/user")
    losses.lose({ afterBytes: 0, serverIsTold: true })
    const stranger = new Gateway({ url: process.http, as: { accessToken: "x.y.z" } })
    // The first try arrives; the second one is refused with 401, as a session that ended meanwhile is.
    let nth = 0
    const gateway = {
      send: (...given: Parameters<Gateway["send"]>) => (nth++ === 0 ? bot.gateway : stranger).send(...given),
    } as Gateway
    const submission = await submit(gateway, bot.order)
    expect(submission.outcome).toBe("Unanswered")
    expect(await submit(bot.gateway, bot.order, { key: submission.key })).toMatchObject({ outcome: "Replayed" })
  })
})

describe("Book", () => {
  it.each(["JSON", "Protobuf"])(
    "%s: string for string the gateway's, through cuts, and every loss of trust is told",
    async (form) => {
      const client = form === "JSON" ? {} : { client: ProtobufCentrifuge as never }
      const { gateway } = await newBot(at(cuts.port), client)
      const told: Array<Distrust | null> = []
      const book = new Book(gateway, "MOCK:BTC/USDT", { onTrust: (why) => told.push(why) })
      await book.ready()
      expect(await book.verify()).toMatchObject({ isSame: true })
      for (let nth = 0; nth < 3; nth++) {
        cuts.cut()
        await until("the cut to be told", () => book.distrust === "CUT")
        cuts.mend()
        await book.ready()
        expect(await book.verify()).toMatchObject({ isSame: true })
      }
      expect(book.gaps).toBe(0)
      expect(told).toEqual([null, "CUT", null, "CUT", null, "CUT", null])
      book.close()
      expect(told.at(-1)).toBe("ENDED")
    },
  )

  it("after a cut in which nothing changed it is whole at once, with the quality that it had", async () => {
    const quiet = await startGateway({ env: { MOCK_TICK_MS: "0" } })
    const proxy = await cutProxy({ host: "127.0.0.1", port: Number(new URL(quiet.http).port) })
    const centrifuge = { minReconnectDelay: 20, maxReconnectDelay: 100 }
    const gateway = new Gateway({ url: at(proxy.port), as: await userOf(quiet), webSocket: WebSocket, centrifuge })
    opened.push(gateway)
    const told: Array<Distrust | null> = []
    const book = new Book(gateway, "MOCK:BTC/USDT", {
      onTrust: (why) => told.push(why),
      silenceMs: Number.POSITIVE_INFINITY,
    })
    await book.ready()
    const { sequence } = book
    proxy.cut()
    await until("the cut to be told", () => book.distrust === "CUT")
    proxy.mend()
    await book.ready()
    expect(told).toEqual([null, "CUT", null])
    expect(book.sequence).toBe(sequence)
    expect(await book.verify()).toMatchObject({ isSame: true })
    book.close()
    await proxy.close()
    await quiet.stop()
  })

  it("a callback that throws ends nothing, and is thrown where nothing catches it", async () => {
    const { gateway } = await newBot()
    const others = nodeProcess.listeners("uncaughtException")
    const thrown: Array<Error> = []
    nodeProcess.removeAllListeners("uncaughtException")
    nodeProcess.on("uncaughtException", (error) => thrown.push(error))
    try {
      const book = new Book(gateway, "MOCK:BTC/USDT", {
        onChange: () => {
          throw new Error("of the bot")
        },
      })
      await book.ready()
      expect(await book.verify()).toMatchObject({ isSame: true })
      book.close()
      expect(thrown[0]?.message).toBe("of the bot")
    } finally {
      nodeProcess.removeAllListeners("uncaughtException")
      for (const listener of others) nodeProcess.on("uncaughtException", listener)
    }
  })

  it("an open connection that is mute is told", async () => {
    const { gateway } = await newBot()
    const book = new Book(gateway, "MOCK:BTC/USDT", { silenceMs: 300 })
    await book.ready()
    process.kill("SIGSTOP")
    try {
      await until("silence to be told", () => book.distrust === "SILENT")
    } finally {
      process.kill("SIGCONT")
    }
    await book.ready()
    book.close()
  })
})

describe("Account", () => {
  it("keeps open orders and balances by events without a gap, through cuts", async () => {
    const bot = await newBot(at(cuts.port))
    const events: Array<AccountEvent> = []
    const resynced: Array<Resynced> = []
    const account = new Account(bot.gateway, bot.tradingAccountId, {
      onEvent: (event) => events.push(event),
      onResynced: (it) => resynced.push(it),
    })
    await account.ready()
    const resting = await submit(bot.gateway, bot.order)
    if (resting.outcome !== "Stored") throw new Error(resting.outcome)
    await until("the order to rest", () => account.orders.get(resting.order.tradeOrderId)?.status === "OPEN")
    cuts.cut()
    const away = (await bot.calls.submit({ ...bot.order, orderType: "MARKET", limitPrice: undefined })).record
    cuts.mend()
    const closed = await awaitClosed(bot.gateway, away, { account, timeoutMs: 60_000 })
    expect(closed.status).toBe("FILLED")
    await until("the missed fill", () => events.some((it) => it.kind === "EXECUTION.CREATED"))
    const { tradeOrderId, tradingAccountId } = resting.order
    await bot.gateway.post("tradeOrder/cancel", { tradeOrderId, tradingAccountId })
    await until("the cancel", () => account.orders.size === 0)
    const shown = (await bot.calls.get("/tradingAccount/portfolio/list", { tradingAccountId: bot.tradingAccountId }))
      .record
    await until("the balances", () => JSON.stringify([...account.positions.values()]) === JSON.stringify(shown))
    const numbers = events.map(({ sequence }) => sequence)
    expect(numbers).toEqual(numbers.map((_, nth) => numbers[0]! + nth))
    expect(account.proof).toEqual({ from: numbers[0], to: numbers.at(-1), gaps: 0 })
    expect(resynced).toEqual([])
  })
})

describe("the end of the connection", () => {
  /** What a bot is told that has a book, an account and a channel of its own. */
  const listen = async (gateway: Gateway, tradingAccountId: string) => {
    const told: Array<Distrust | null> = []
    const ended: Array<string> = []
    const book = new Book(gateway, "MOCK:BTC/USDT", { onTrust: (why) => told.push(why) })
    const account = new Account(gateway, tradingAccountId, { onEnded: ({ message }) => ended.push(message) })
    const trades = gateway.stream.subscribe("market:trade:MOCK:BTC/USDT")
    trades.on("unsubscribed", () => ended.push(`trades: ${gateway.stream.endOf(trades)?.reason}`))
    trades.subscribe()
    return { told, ended, book, account }
  }

  it.each(["JSON", "Protobuf"])("%s: a key that is revoked ends all, and all are told why", async (form) => {
    const { calls, tradingAccountId } = await newBot()
    const terms = { name: "bot", scopes: ["trade"] }
    const { apiKeyId, apiKey } = (await calls.post<{ apiKeyId: string; apiKey: string }>("/apiKey/create", terms))
      .record
    const client = form === "JSON" ? {} : { client: ProtobufCentrifuge as never }
    const gateway = new Gateway({ url: process.http, as: { apiKey }, webSocket: WebSocket, ...client })
    opened.push(gateway)
    const { told, ended, book, account } = await listen(gateway, tradingAccountId)
    await Promise.all([book.ready(), account.ready()])
    await calls.post("/apiKey/revoke", { apiKeyId })
    await until("the end to be told", () => book.distrust === "ENDED" && ended.length === 2)
    expect(told).toEqual([null, "CUT", "ENDED"])
    expect(ended).toEqual([
      expect.stringMatching(/^the account's channel ended: .+ \(35\d\d\)$/),
      expect.stringMatching(/^trades: \S/),
    ])
    await expect(book.ready()).rejects.toThrow(/has ended: .+ \(35\d\d\)$/)
    // The next one opens a connection of its own, which is refused.
    const later = new Book(gateway, "MOCK:BTC/USDT")
    await expect(later.ready()).rejects.toThrow(/has ended: /)
  })

  it("a sign-in that is refused is the end; the program's own end is told as well, and waits for nothing", async () => {
    const { tradingAccountId } = await newBot()
    const as = { email: `nobody-${randomUUID()}@example.com`, password: PASSWORD }
    const stranger = new Gateway({ url: process.http, as, webSocket: WebSocket })
    const refused = await listen(stranger, tradingAccountId)
    await expect(refused.account.ready()).rejects.toThrow(/auth\/login: .*\(-\d+ /)
    await expect(refused.book.ready()).rejects.toThrow(/auth\/login: .*\(-\d+ /)
    expect(refused.told).toEqual(["ENDED"])
    const { gateway, tradingAccountId: mine } = await newBot()
    const own = await listen(gateway, mine)
    await Promise.all([own.book.ready(), own.account.ready()])
    gateway.close()
    expect(own.told).toEqual([null, "ENDED"])
    expect(own.ended).toEqual([
      "the account's channel ended: closed by this program (0)",
      "trades: closed by this program",
    ])
  })

  it("a token that is over, with nothing to have another by, is the end", async () => {
    const { calls, tradingAccountId } = await newBot()
    const as = { accessToken: expired(calls.token!) }
    const centrifuge = { minReconnectDelay: 20, maxReconnectDelay: 100 }
    const gateway = new Gateway({ url: process.http, as, webSocket: WebSocket, centrifuge })
    opened.push(gateway)
    const { told, ended, book, account } = await listen(gateway, tradingAccountId)
    await expect(account.ready()).rejects.toThrow("the account's channel ended: the token is over (109)")
    await expect(book.ready()).rejects.toThrow(/has ended: the token is over \(109\)$/)
    expect(told).toEqual(["ENDED"])
    expect(ended).toEqual(["the account's channel ended: the token is over (109)", "trades: the token is over"])
  })

  it("an account that cannot be loaded is over: told once, followed no more, and none waits for it", async () => {
    const [mine, other] = [await newBot(), await newBot()]
    let isOther = false
    const elsewhere: typeof fetch = (url, init) =>
      fetch(isOther ? String(url).replace(mine.tradingAccountId, other.tradingAccountId) : url, init)
    const as = { accessToken: mine.calls.token! }
    const gateway = new Gateway({ url: process.http, as, webSocket: WebSocket, fetch: elsewhere })
    opened.push(gateway)
    const ended: Array<string> = []
    const onEnded = ({ message }: Error): unknown => ended.push(message)
    isOther = true
    const account = new Account(gateway, mine.tradingAccountId, { onEnded })
    await expect(account.ready()).rejects.toThrow(GatewayError)
    expect(ended).toHaveLength(1)
    // Its channel is free for the next one.
    isOther = false
    const again = new Account(gateway, mine.tradingAccountId, { onEnded })
    await again.ready()
    expect(ended).toHaveLength(1)
  })

  it("the account of another user ends with the refusal; one that is closed tells nothing, and lets none wait", async () => {
    const [mine, other] = [await newBot(), await newBot()]
    const ended: Array<Error> = []
    const options = { onEnded: (error: Error) => ended.push(error) }
    for (let nth = 1; nth <= 2; nth++) {
      await expect(new Account(mine.gateway, other.tradingAccountId, options).ready()).rejects.toThrow(/\(103\)/)
      expect(ended).toHaveLength(nth)
    }
    const account = new Account(mine.gateway, mine.tradingAccountId, options)
    const ready = account.ready()
    account.close()
    await expect(ready).rejects.toThrow("closed by this program")
    expect(ended).toHaveLength(2)
  })
})

describe("keepAlive", () => {
  it("keeps orders while it renews; cut off, it tells so, and the gateway cancels them", async () => {
    const bot = await newBot(at(cuts.port))
    const late: Array<unknown> = []
    const { tradingAccountId } = bot
    const kept = await keepAlive(bot.gateway, tradingAccountId, {
      timeoutMs: 2_000,
      onLate: (error) => late.push(error),
    })
    const made = await submit(bot.gateway, bot.order)
    if (made.outcome !== "Stored") throw new Error(made.outcome)
    cuts.cut()
    await until("the silence to be told", () => late.length > 0)
    const order = await awaitClosed(
      new Gateway({ url: process.http, as: { accessToken: bot.calls.token! } }),
      made.order,
    )
    expect(order).toMatchObject({ status: "CANCELLED", cancelReason: "DEAD_MAN_SWITCH" })
    cuts.mend()
    await kept.stop({ disarm: true })
    expect(late).toHaveLength(1)
  })
})
