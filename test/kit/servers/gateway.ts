/**
 * The gateway as its users start it: a process of its own, a free port, a scratch DATA_DIR, and a small typed client of its HTTP API. The one
 * thing to know: a test that starts gateways calls `endGateways()` when done (in `afterAll`); a remaining process is killed then.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { V8_FLAGS } from "../../../scripts/v8-flags.ts"
import type { CredentialRecord } from "../../../src/domain/account/credential.ts"
import type { PositionRecord, TradingAccountRecord } from "../../../src/domain/account/trading-account.ts"
import type { SecurityRecord } from "../../../src/domain/instrument/instrument.ts"
import type { VenueRecord } from "../../../src/domain/instrument/venue.ts"
import type { KlineRecord } from "../../../src/domain/market/kline.ts"
import type { OrderBookRecord, SubscriptionRecord, TickerRecord } from "../../../src/domain/market/market.ts"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import type { SessionRecord, UserRecord } from "../../../src/domain/user/user.ts"
import type { HealthRecord } from "../../../src/http/root/endpoints.ts"
import { laySeed, scratchDirectory } from "../postgres.ts"

export interface GatewayOptions {
  /** Beside PORT=0 and DATA_DIR; `DATABASE_URL` here uses that database instead of the embedded one. */
  readonly env?: Readonly<Record<string, string>>
  /** An earlier gateway's directory, to start it again. Default: a new one, removed by `endGateways`. */
  readonly dataDir?: string
  /** A first start as a user has it: the new directory is empty. Default: it has a migrated cluster, where the run has a seed. */
  readonly empty?: boolean
  /** dist/src/main.js, or the sources. Default: the bundle of dist/ in a run of the tests; elsewhere dist/ in CI, and else the sources. */
  readonly built?: boolean | undefined
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A start that may still fail. */
export interface Launched {
  readonly pid: number
  readonly dataDir: string
  readonly stdout: ReadonlyArray<string>
  readonly stderr: () => string
  /** Never rejects. */
  readonly exited: Promise<Exit>
  /** Resolves at the ready line; rejects when the process ends before it. */
  readonly ready: Promise<Ready>
  /** To this process only, as an operator or the kernel would. */
  readonly kill: (signal: NodeJS.Signals) => void
}

export interface Ready {
  readonly http: string
  readonly ws: string
  readonly version: string
  /** While the installation has no admin: makes one. */
  readonly setupToken?: string | undefined
}

export interface Gateway extends Launched, Ready {
  /** SIGTERM, and how it ended. */
  readonly stop: () => Promise<Exit>
}

const root = fileURLToPath(new URL("../../../", import.meta.url))
/** What the child may inherit: a test runner's NODE_ENV and NODE_OPTIONS are not a user's. */
const INHERITED = ["PATH", "HOME", "TMPDIR", "LANG", "PG_BIN_DIR", "USER"]

/** Of test/kit/shipped-code.ts. */
const bundle = process.env["TEST_BUNDLE"]

/** dist/ is there and of these sources. */
export const isBuilt = bundle !== undefined || process.env["CI"] !== undefined

/** What V8 made of the bundle's code is kept beside it: a tenth of the processor time of a start (on Node 22; 20 does not know of it). */
export const keptCode = (built?: boolean): Readonly<Record<string, string>> =>
  built === undefined && bundle !== undefined ? { NODE_COMPILE_CACHE: join(bundle, "compiled") } : {}

/** What node is given to run the gateway, or its `admin`. */
export const programOf = (name: "main" | "admin", built?: boolean): ReadonlyArray<string> => {
  if (built === undefined && bundle !== undefined) return [join(bundle, `${name}.js`)]
  const path = name === "main" ? "src/main" : "src/admin/main"
  return (built ?? isBuilt) ? [`dist/${path}.js`] : ["--import", "tsx", `${path}.ts`]
}

const launched = new Set<ChildProcess>()
const directories = new Set<string>()

const killGroup = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
  } catch (error) {
    // ESRCH: it is gone, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

process.on("exit", () => {
  for (const child of launched) killGroup(child)
})

/** Starts the process and returns at once. */
export const launchGateway = (options: GatewayOptions = {}): Launched => {
  const dataDir = options.dataDir ?? scratchDirectory("gateway")
  directories.add(dataDir)
  const isEmbedded = options.env?.["DATABASE_URL"] === undefined
  if (options.dataDir === undefined && isEmbedded && options.empty !== true) laySeed(dataDir)
  const program = programOf("main", options.built)
  const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  // Tests of limits set their own; production is never without.
  // Tests of stale proofs set their own; the others may run longer than one is fresh.
  const patient = { FRESH_SECONDS: "86400" }
  const unlimited = options.env?.["NODE_ENV"] === "production" ? {} : { RATE_LIMITS: "off" }
  const child = spawn(process.execPath, [...V8_FLAGS, ...program], {
    cwd: root,
    // Its own process group, so that nothing of it can outlive the test.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...Object.fromEntries(inherited),
      ...keptCode(options.built),
      PORT: "0",
      DATA_DIR: dataDir,
      ...patient,
      ...unlimited,
      ...options.env,
    },
  })
  launched.add(child)
  const stdout: Array<string> = []
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  const exited = new Promise<Exit>((resolve) => {
    child.once("close", (code, signal) => {
      launched.delete(child)
      resolve({ code, signal })
    })
  })
  const ready = new Promise<Ready>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      stdout.push(line)
      if (line.startsWith("ready ")) resolve(JSON.parse(line.slice("ready ".length)))
    })
    void exited.then(({ code, signal }) =>
      reject(new Error(`the gateway ended (${signal ?? code}) before it was ready:\n${stderr.slice(-4000)}`)),
    )
  })
  // Whoever only wants to see how it ends must not lose the process to an unhandled rejection.
  ready.catch(() => undefined)
  return {
    pid: child.pid ?? -1,
    dataDir,
    stdout,
    stderr: () => stderr,
    exited,
    ready,
    kill: (signal) => void child.kill(signal),
  }
}

/** Starts a gateway and waits for its ready line. */
export const startGateway = async (options: GatewayOptions = {}): Promise<Gateway> => {
  const process = launchGateway(options)
  const ready = await process.ready
  const stop = (): Promise<Exit> => {
    process.kill("SIGTERM")
    return process.exited
  }
  return { ...process, ...ready, stop }
}

/** Kills what still runs and removes every scratch directory. */
export const endGateways = async (): Promise<void> => {
  const ending = [...launched].map((child) => new Promise((resolve) => child.once("close", resolve)))
  for (const child of launched) killGroup(child)
  await Promise.all(ending)
  for (const directory of directories) await removeDirectory(directory)
  directories.clear()
}

/** An embedded server ends a moment after its gateway: its watchdog does it, and removes postmaster.pid last. */
const removeDirectory = async (directory: string): Promise<void> => {
  const pidFile = join(directory, "postgres/cluster/postmaster.pid")
  for (let tries = 0; existsSync(pidFile) && tries < 200; tries += 1) await sleep(50)
  rmSync(directory, { recursive: true, force: true })
}

/** Between two looks: 10 ms at first, then a tenth of what was waited, up to this: looks at what takes its time cost as much as the work. */
const PAUSE_MILLIS_MAX = 100

/** Waits until `seen` answers something; fails after `millis` with what it waited for. */
export const until = async <A>(
  what: string | (() => string),
  seen: () => A | undefined | false | null | Promise<A | undefined | false | null>,
  millis = 60_000,
): Promise<A> => {
  const beganAt = Date.now()
  for (;;) {
    const found = await seen()
    if (found !== undefined && found !== false && found !== null) return found
    const waited = Date.now() - beganAt
    if (waited > millis) throw new Error(`waited ${millis} ms for ${typeof what === "string" ? what : what()}`)
    await sleep(Math.min(Math.max(10, waited / 10), PAUSE_MILLIS_MAX))
  }
}

/** Asked again where nothing is taken (-190001), because the database takes a second for what came before. */
export const taken = <A>(ask: () => Promise<Answer<A>>): Promise<Answer<A>> =>
  until("the gateway to take it", async () => {
    const answer = await ask()
    return answer.envelope.errno !== -190001 && answer
  })

export interface Pagination {
  readonly offset: number
  readonly limit: number
  readonly total: number
  readonly cursor: string | null
  readonly hasNext: boolean
}

export interface Envelope<A> {
  readonly success: boolean
  readonly errno: number
  readonly error: string | null
  readonly data: A | null
  readonly details?: { readonly code: string; readonly metadata: Readonly<Record<string, unknown>> }
  readonly pagination?: Pagination
}

export interface Answer<A> {
  readonly status: number
  readonly headers: Headers
  readonly envelope: Envelope<A>
  /** The body as it came. */
  readonly text: string
  /** `data` of a success; throws when it was none. */
  readonly record: A
}

const CLOSED: ReadonlySet<string> = new Set(["FILLED", "CANCELLED", "REJECTED", "EXPIRED", "REVOKED"])

type Query = Readonly<Record<string, string | number | boolean | undefined>>
type Body = Readonly<Record<string, unknown>>

/** One user's calls; without a token nobody's. */
export class Api {
  constructor(
    readonly base: string,
    readonly token: string | null = null,
  ) {}

  async call<A>(
    method: "GET" | "POST",
    path: string,
    body?: Body,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<A>> {
    const response = await fetch(`${this.base}/api/v3${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const envelope: Envelope<A> = JSON.parse(text)
    return {
      status: response.status,
      headers: response.headers,
      envelope,
      text,
      get record(): A {
        if (!envelope.success || envelope.data === null)
          throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`)
        return envelope.data
      },
    }
  }

  get<A>(path: string, query: Query = {}): Promise<Answer<A>> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as const],
    )
    const search = new URLSearchParams(Object.fromEntries(given)).toString()
    return this.call("GET", search === "" ? path : `${path}?${search}`)
  }

  post<A>(path: string, body?: Body): Promise<Answer<A>> {
    return this.call("POST", path, body)
  }

  /** The same gateway, spoken to with another token. */
  as(token: string | null): Api {
    return new Api(this.base, token)
  }

  /** The record, whether it came as a success or beside a failure. */
  async health(): Promise<HealthRecord & { readonly http: number }> {
    const { status, envelope } = await this.get<HealthRecord>("/health")
    const record = envelope.data ?? (envelope.details?.metadata["health"] as HealthRecord)
    return { ...record, http: status }
  }

  /** A record of a service that can work, waited for: a database that takes half a second for its answer is away for health. */
  serving(): Promise<HealthRecord> {
    return until("a service that can work", async () => {
      const record = await this.health()
      return record.http === 200 && record
    })
  }

  signup(email: string, password = PASSWORD): Promise<Answer<SessionRecord>> {
    return this.post("/auth/signup", { email, password })
  }

  login(email: string, password = PASSWORD): Promise<Answer<SessionRecord>> {
    return this.post("/auth/login", { email, password })
  }

  refresh(refreshToken: string): Promise<Answer<SessionRecord>> {
    return this.post("/auth/token/refresh", { refreshToken })
  }

  user(): Promise<Answer<UserRecord>> {
    return this.get("/auth/user")
  }

  venues(): Promise<Answer<ReadonlyArray<VenueRecord>>> {
    return this.get("/market/venue/list")
  }

  instruments(query: Query): Promise<Answer<ReadonlyArray<SecurityRecord>>> {
    return this.get("/market/instrument/list", query)
  }

  createCredential(body: Body): Promise<Answer<CredentialRecord>> {
    return this.post("/credential/create", body)
  }

  credentials(): Promise<Answer<ReadonlyArray<CredentialRecord>>> {
    return this.get("/credential/list")
  }

  connect(body: Body): Promise<Answer<TradingAccountRecord>> {
    return this.post("/tradingAccount/connect", body)
  }

  connectMock(externalTradingAccountId = "main"): Promise<Answer<TradingAccountRecord>> {
    return this.connect({ venue: "MOCK", externalTradingAccountId })
  }

  accounts(query: Query = {}): Promise<Answer<ReadonlyArray<TradingAccountRecord>>> {
    return this.get("/tradingAccount/list", query)
  }

  disconnect(tradingAccountId: string): Promise<Answer<TradingAccountRecord>> {
    return this.post("/tradingAccount/disconnect", { tradingAccountId })
  }

  portfolio(tradingAccountId: string): Promise<Answer<ReadonlyArray<PositionRecord>>> {
    return this.get("/tradingAccount/portfolio/list", { tradingAccountId, limit: 100 })
  }

  submit(body: Body): Promise<Answer<TradeOrderRecord>> {
    return this.post("/tradeOrder/submit", body)
  }

  cancel(tradingAccountId: string, tradeOrderId: string): Promise<Answer<TradeOrderRecord>> {
    return this.post("/tradeOrder/cancel", { tradingAccountId, tradeOrderId })
  }

  /** A submit that waits, and goes on waiting: on a busy machine the gateway's second may be too short. */
  async submitted(body: Body): Promise<TradeOrderRecord> {
    const { tradingAccountId, tradeOrderId } = (await this.submit(body)).record
    return this.#reaches(tradingAccountId, tradeOrderId, ({ orderStatus, status }) =>
      body["awaitClosed"] === true ? CLOSED.has(orderStatus) : status !== "PENDING",
    )
  }

  /** A cancel, until the order is closed. */
  async cancelled(tradingAccountId: string, tradeOrderId: string): Promise<TradeOrderRecord> {
    await this.cancel(tradingAccountId, tradeOrderId).then(({ record }) => record)
    return this.#reaches(tradingAccountId, tradeOrderId, ({ orderStatus }) => CLOSED.has(orderStatus))
  }

  #reaches(
    tradingAccountId: string,
    tradeOrderId: string,
    isThere: (order: TradeOrderRecord) => boolean,
  ): Promise<TradeOrderRecord> {
    return until(`order ${tradeOrderId} to come as far as was asked`, async () => {
      const { record } = await this.order(tradingAccountId, tradeOrderId)
      return isThere(record) && record
    })
  }

  order(tradingAccountId: string, tradeOrderId: string): Promise<Answer<TradeOrderRecord>> {
    return this.get("/tradeOrder/get", { tradingAccountId, tradeOrderId })
  }

  orders(query: Query): Promise<Answer<ReadonlyArray<TradeOrderRecord>>> {
    return this.get("/tradeOrder/list", query)
  }

  orderBook(instrumentId: string, depth = 1000): Promise<Answer<OrderBookRecord>> {
    return this.get("/market/orderbook/get", { instrumentId, depth })
  }

  ticker(instrumentId: string): Promise<Answer<TickerRecord>> {
    return this.get("/market/ticker/get", { instrumentId })
  }

  klines(query: Query): Promise<Answer<KlineRecord>> {
    return this.get("/market/kline/get", query)
  }

  subscribeBook(body: Body): Promise<Answer<SubscriptionRecord>> {
    return this.post("/market/subscription/orderbook/subscribe", body)
  }

  unsubscribeBook(body: Body): Promise<Answer<SubscriptionRecord>> {
    return this.post("/market/subscription/orderbook/unsubscribe", body)
  }

  bookSubscriptions(): Promise<Answer<ReadonlyArray<SubscriptionRecord>>> {
    return this.get("/market/subscription/orderbook/list")
  }
}

export const PASSWORD = "correct horse battery staple"

export const api = (gateway: Ready): Api => new Api(gateway.http)
