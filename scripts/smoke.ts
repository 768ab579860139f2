/**
 * Starts the gateway as a user does (`npm start`, a fresh DATA_DIR, a free port) and walks the main path once with the official client: signup,
 * connect a MOCK account, an order book, an order, SIGTERM, and a second start that still has them. Arguments are the command that starts it,
 * instead of `npm start`. The one thing to know: steps build on each other, so after the first failure the rest count as failed too. The last
 * line is `smoke: N passed, N failed`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Centrifuge, type PublicationContext, type Subscription } from "centrifuge"
import { WebSocket } from "ws"

const root = fileURLToPath(new URL("..", import.meta.url))
const workDir = mkdtempSync(join(tmpdir(), "gateway-smoke-"))
// Under root the database runs as another account, which must be able to pass through.
chmodSync(workDir, 0o755)

const [program = "npm", ...words] = process.argv.length > 2 ? process.argv.slice(2) : ["npm", "start"]
const command = [program, ...words].join(" ")
const instrumentId = "MOCK:BTC/USDT"
const email = "smoke@example.com"
const password = "correct horse battery staple 7"
const startMillisMax = 120_000
const answerMillisMax = 60_000
/** The gateway's promise after SIGTERM is 10 s; a machine that is shared may take longer to see it kept. */
const stopMillisMax = 30_000

interface Gateway {
  readonly process: ChildProcess
  readonly http: string
  readonly ws: string
}

let running: ChildProcess | undefined
let client: Centrifuge | undefined

const within = <A>(what: string, millis: number, promise: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing after ${millis} ms`)), millis)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

const must = <A>(value: A | undefined, what: string): A => {
  if (value === undefined) throw new Error(`${what} is missing`)
  return value
}

const expectEqual = (found: unknown, wanted: unknown, what: string): void => {
  if (found !== wanted) throw new Error(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
}

const start = (): Promise<Gateway> => {
  const child = spawn(program, words, {
    cwd: root,
    // Its own process group, so that nothing of it can outlive us.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, PORT: "0", DATA_DIR: join(workDir, "var") },
  })
  running = child
  const said: Array<string> = []
  const ready = new Promise<Gateway>((resolve, reject) => {
    const listen = (stream: NodeJS.ReadableStream): void => {
      createInterface({ input: stream }).on("line", (line) => {
        said.push(line)
        if (!line.startsWith("ready ")) return
        const { http, ws } = JSON.parse(line.slice("ready ".length)) as { readonly http: string; readonly ws: string }
        resolve({ process: child, http, ws })
      })
    }
    if (child.stdout) listen(child.stdout)
    if (child.stderr) listen(child.stderr)
    child.once("exit", (code) => reject(new Error(`${command} ended with ${code}\n${said.slice(-20).join("\n")}`)))
  })
  return within(command, startMillisMax, ready)
}

const stop = async (gateway: Gateway): Promise<void> => {
  const ended = new Promise<number | null>((resolve) => gateway.process.once("exit", resolve))
  gateway.process.kill("SIGTERM")
  expectEqual(await within("SIGTERM", stopMillisMax, ended), 0, "the exit code after SIGTERM")
  running = undefined
  for (let tries = 0; isGroupAlive(gateway.process); tries += 1) {
    if (tries === 300) throw new Error("a process of the gateway is still there 30 s after it ended")
    await sleep(100)
  }
}

const isGroupAlive = (child: ChildProcess): boolean => {
  try {
    process.kill(-must(child.pid, "the process id"), 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH"
  }
}

interface Envelope {
  readonly success: boolean
  readonly errno: number
  readonly error: string | null
  readonly data: Readonly<Record<string, unknown>>
}

const call = async (
  gateway: Gateway,
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<Envelope["data"]> => {
  const response = await fetch(`${gateway.http}/api/v3${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      ...(session ? { authorization: `Bearer ${session}` } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(answerMillisMax),
  })
  const envelope = (await response.json()) as Envelope
  if (!envelope.success) throw new Error(`${method} ${path}: ${response.status} ${envelope.errno} ${envelope.error}`)
  return envelope.data
}

/** The first publication for which `isWanted`; it may be one that comes with the subscription. */
const publication = (
  subscription: Subscription,
  isWanted: (record: Readonly<Record<string, unknown>>) => boolean,
): Promise<Readonly<Record<string, unknown>>> =>
  new Promise((resolve, reject) => {
    subscription.on("publication", ({ data }: PublicationContext) => {
      if (isWanted(data)) resolve(data)
    })
    subscription.on("error", ({ error }) =>
      reject(new Error(`${subscription.channel}: ${error.code} ${error.message}`)),
    )
    subscription.on("unsubscribed", ({ code, reason }) => {
      if (code !== 0) reject(new Error(`${subscription.channel}: unsubscribed ${code} ${reason}`))
    })
  })

let session = ""
let gateway: Gateway | undefined
let accountId = ""
let orderId = ""

const orderRead = (): Promise<Envelope["data"]> => {
  const query = new URLSearchParams({ tradingAccountId: accountId, tradeOrderId: orderId })
  return call(must(gateway, "the gateway"), "GET", `/tradeOrder/get?${query}`)
}

const steps: ReadonlyArray<readonly [name: string, run: () => Promise<void>]> = [
  [
    `${command} prints its ready line`,
    async () => {
      gateway = await start()
    },
  ],
  [
    "health answers",
    async () => {
      await call(must(gateway, "the gateway"), "GET", "/health")
    },
  ],
  [
    "a user signs up",
    async () => {
      const answer = await call(must(gateway, "the gateway"), "POST", "/auth/signup", { email, password })
      session = String(answer["accessToken"])
    },
  ],
  [
    "a MOCK account connects",
    async () => {
      const body = { venue: "MOCK", externalTradingAccountId: "smoke" }
      const account = await call(must(gateway, "the gateway"), "POST", "/tradingAccount/connect", body)
      expectEqual(account["status"], "ACTIVE", "the account's status")
      accountId = String(account["tradingAccountId"])
    },
  ],
  [
    "the centrifuge client receives an order book snapshot",
    async () => {
      client = new Centrifuge(must(gateway, "the gateway").ws, { token: session, websocket: WebSocket })
      const books = client.newSubscription(`market:orderbook:${instrumentId}`)
      const snapshot = publication(books, () => true)
      books.subscribe()
      client.connect()
      const book = await within("order book", answerMillisMax, snapshot)
      expectEqual(book["instrumentId"], instrumentId, "the book's instrumentId")
    },
  ],
  [
    "an order fills, over HTTP and on the account's channel",
    async () => {
      const events = must(client, "the client").newSubscription(`tradingAccount:${accountId}`)
      const subscribed = new Promise<void>((resolve) => events.once("subscribed", () => resolve()))
      const filled = publication(events, ({ kind }) => kind === "TRADE_ORDER.FILLED")
      // Whichever comes first is reported; the other must not count as unhandled.
      filled.catch((error: unknown) => console.error(error))
      events.subscribe()
      await within("the account's channel", answerMillisMax, subscribed)
      const order = await call(must(gateway, "the gateway"), "POST", "/tradeOrder/submit", {
        tradingAccountId: accountId,
        instrumentId,
        orderSide: "BUY",
        orderType: "MARKET",
        quantity: "0.001",
        idempotencyKey: "smoke-1",
        awaitClosed: true,
      })
      orderId = String(order["tradeOrderId"])
      const event = await within("TRADE_ORDER.FILLED", answerMillisMax, filled)
      expectEqual((event["data"] as Envelope["data"])["tradeOrderId"], orderId, "the event's order")
      // The answer above waits a second at most for the fill: now it is there.
      expectEqual((await orderRead())["status"], "FILLED", "the order's status")
    },
  ],
  [
    "SIGTERM ends it with exit code 0 and nothing left",
    async () => {
      client?.disconnect()
      await stop(must(gateway, "the gateway"))
    },
  ],
  [
    "a second start remembers the user and the order",
    async () => {
      gateway = await start()
      session = ""
      session = String((await call(gateway, "POST", "/auth/login", { email, password }))["accessToken"])
      expectEqual((await orderRead())["status"], "FILLED", "the order's status after the second start")
      await stop(gateway)
    },
  ],
]

const killGateway = (): void => {
  const child = running
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, "SIGKILL")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

const leave = (code: number): never => {
  killGateway()
  rmSync(workDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  process.exit(code)
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => leave(1))

let passed = 0
for (const [name, run] of steps) {
  const began = performance.now()
  try {
    await run()
    passed += 1
    console.log(`ok   ${name}, ${((performance.now() - began) / 1000).toFixed(1)} s`)
  } catch (error) {
    console.log(`FAIL ${name}: ${error instanceof Error ? error.message : String(error)}`)
    break
  }
}
console.log(`smoke: ${passed} passed, ${steps.length - passed} failed`)
leave(passed === steps.length ? 0 : 1)
