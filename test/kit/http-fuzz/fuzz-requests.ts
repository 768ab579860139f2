/**
 * One request for a route: valid by its schema and likely by the world's ids, then bent, in its fields, its text or its headers, or left as
 * it is. What is made is HTTP that any server must take; bytes that are not are the affair of the raw tables.
 */
import { Arbitrary, type SchemaAST as AST, Schema } from "effect"
import fc from "fast-check"
import type { Random } from "../socket-fuzz/fuzz-commands.ts"
import { HOSTILE_VALUES, MASS_ASSIGNED, PROTOTYPE_KEYS } from "./bad-values.ts"
import { type DeclaredRoute, fieldsOf, kindOf } from "./declared-routes.ts"
import { type FuzzUser, type FuzzWorld, PASSWORD } from "./fuzz-world.ts"

export interface FuzzRequest {
  readonly route: DeclaredRoute
  /** Whether the path and the method are the route's own. */
  readonly isRouted: boolean
  readonly isHead: boolean
  /** Whose token it carries. */
  readonly user: FuzzUser | undefined
  /** The clean X-Request-ID that it carries. */
  readonly requestId: string | undefined
  readonly bytes: Buffer
}

type Fields = Record<string, unknown>

/** What hashes a password takes as long as fifty other requests; what ends something leaves less for the others. */
const SELDOM: Readonly<Record<string, number>> = {
  "auth.signup": 0.25,
  "auth.login": 0.25,
  "auth.update": 0.25,
  "auth.logout": 0.15,
  "auth.sessionRevoke": 0.25,
  "auth.refresh": 0.5,
  "adminUser.ban": 0.15,
  "adminUser.revoke": 0.1,
  "adminUser.signOut": 0.1,
  "adminUser.resetSecondFactor": 0.1,
  // A user who may come from nowhere, or is another tenant's, is out of the admin's reach for good.
  "adminNetwork.allow": 0,
  "adminTenant.move": 0,
  "console.open": 0.25,
  "console.signup": 0.25,
  "dealer.archive": 0.1,
  "market.instrumentRetire": 0.1,
  "dealer.pause": 0.3,
  "tradingAccount.disconnect": 0.15,
  "wallet.close": 0.15,
  "wallet.freeze": 0.3,
  // What holds for the whole installation would refuse everybody else from then on.
  "tradingMode.set": 0,
}

/** Longer heads are refused before any route; the token takes a third of it. */
const QUERY_CHARS_MAX = 1_800
const SAMPLES = 64

/** What a sensible client would send, by the field's name. */
const LIKELY: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  venue: ["MOCK", "MOCK", "MOCK", "INTERNAL", "INTERNAL", "PAPER", "BINANCE_UAT", "BINANCE", "NOPE"],
  instrumentId: ["MOCK:BTC/USDT", "MOCK:BTC/USDT", "MOCK:ETH/USDT", "INTERNAL:BTC/USDT", "MOCK:NO/PE", "junk"],
  instrumentIds: [["MOCK:BTC/USDT"], ["MOCK:BTC/USDT", "MOCK:ETH/USDT"], ["MOCK:NO/PE"]],
  symbols: [["BTC/USDT"], []],
  quantity: ["0.001", "0.01", "1", "1000000", "0", "0.00000001"],
  quoteQuantity: ["100", "0.01"],
  limitPrice: ["60000", "30000", "59999.99", "0.01", "1000000"],
  stopPrice: ["60000", "65000", "55000"],
  takeProfitPrice: ["70000", "90000"],
  stopLossPrice: ["50000", "40000"],
  amount: ["1", "0.5", "1000000000", "0"],
  asset: ["BTC", "USDT", "ETH"],
  currency: ["BTC", "USDT"],
  baseAsset: ["BTC", "ETH"],
  quoteAsset: ["USDT"],
  interval: ["1m", "1h", "1d", "1q"],
  network: ["203.0.113.0/24", "203.0.113.0/24", "2001:db8::/32", "203.0.113.0/33"],
  password: [PASSWORD, "12345678", "another good passphrase"],
  currentPassword: [PASSWORD],
  idempotencyKey: ["k1", "k2", "k3"],
  clientOrderId: ["c1", "c2", "c3"],
  quoteRequestId: ["q1", "q2"],
  orderSide: ["BUY", "SELL"],
  orderType: ["MARKET", "LIMIT", "LIMIT", "STOP", "QUOTED", "TRAILING_STOP", "TAKE_PROFIT_LIMIT"],
  timeInForce: ["GTC", "IOC", "FOK", "GTD", "DAY"],
  limit: [1, 10, 100],
  offset: [0, 1, 100],
  ttl: [1, 10, 60],
  timeoutMs: [0, 60_000],
  force: [false],
  externalTradingAccountId: ["main", "second", "third"],
  type: ["signup", "recovery", "email_change"],
  name: ["Desk"],
  scopes: [["read"], ["trade"], ["read", "trade"]],
  ipAllow: [["127.0.0.0/8"], ["::1", "203.0.113.7"]],
  expiresAt: [4_000_000_000_000],
}

const BUY = { instrumentId: "MOCK:BTC/USDT", orderSide: "BUY", quantity: "0.001" } as const
const SELL = { instrumentId: "MOCK:BTC/USDT", orderSide: "SELL", quantity: "0.002" } as const

/** Where most can go wrong. */
const OFTEN: ReadonlyArray<string> = [
  "tradeOrder.submit",
  "tradeOrder.submit",
  "tradeOrder.submit",
  "tradeOrder.cancel",
  "tradeOrder.replace",
  "quote.request",
  "quote.request",
  "wallet.transfer",
  "tradingAccount.connect",
]

/** Fields that only make sense together, by route. */
const RECIPES: Readonly<Record<string, ReadonlyArray<Fields>>> = {
  "tradeOrder.submit": [
    { ...BUY, orderType: "LIMIT", limitPrice: "40000" },
    { ...BUY, orderType: "LIMIT", limitPrice: "100000", awaitClosed: true },
    { ...SELL, orderType: "LIMIT", limitPrice: "100000", timeInForce: "GTC" },
    { ...BUY, orderType: "MARKET" },
    { ...SELL, orderType: "MARKET", awaitAccepted: true },
    { ...SELL, orderType: "STOP", stopPrice: "30000" },
    { ...BUY, orderType: "LIMIT", limitPrice: "50000", takeProfitPrice: "90000", stopLossPrice: "30000" },
    { ...BUY, instrumentId: "INTERNAL:BTC/USDT", orderType: "LIMIT", limitPrice: "50000" },
    { ...SELL, instrumentId: "INTERNAL:BTC/USDT", orderType: "LIMIT", limitPrice: "50000" },
  ],
  "tradeOrder.replace": [{ limitPrice: "41000" }, { quantity: "0.003" }],
  "quote.request": [
    { instrumentId: "INTERNAL:BTC/USDT", orderSide: "BUY", quantity: "0.01" },
    { instrumentId: "INTERNAL:BTC/USDT", orderSide: "SELL", quoteQuantity: "100" },
  ],
  // What was retired comes back, so that it can be traded again.
  "market.instrumentCreate": [
    { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.01", lotSize: "0.00001" },
    { baseAsset: "ETH", quoteAsset: "USDT", tickSize: "0.01", lotSize: "0.0001" },
  ],
  "market.instrumentRetire": [{ instrumentId: "INTERNAL:ETH/USDT" }, { instrumentId: "INTERNAL:BTC/USDT" }],
  "dealer.update": [{ config: { pricing: { allowSimulatedVenues: true } } }],
  "apiKey.create": [{ name: "bot", scopes: ["trade"] }],
  "wallet.transfer": [{ asset: "USDT", amount: "0.5" }],
  "wallet.withdraw": [{ asset: "USDT", amount: "0.5" }],
}

const BAD_TOKENS: ReadonlyArray<string> = [
  "Bearer",
  "Bearer ",
  "Bearer x",
  "Bearer a.b.c",
  "Bearer vgk_",
  `Bearer vgk_${"0".repeat(49)}`,
  `Bearer vgk_${"x".repeat(1_500)}`,
  "bearer a.b.c",
  "Basic YTpi",
  "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.",
  `Bearer ${"x".repeat(1_500)}`,
  "Bearer ..",
  "'; DROP TABLE session; --",
]

const METHODS = ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "GET", "POST"]

const PATHS: ReadonlyArray<(path: string) => string> = [
  (path) => `${path}/`,
  (path) => `${path}/../..`,
  (path) => `/${path}`,
  (path) => path.replaceAll("/", "//"),
  (path) => path.toUpperCase(),
  (path) => path.replace("/api", "/%61pi"),
  (path) => `${path};v=1`,
  (path) => `${path}%00`,
  (path) => `${path}%2e%2e%2f`,
  (path) => `${path}.json`,
]

const CONTENT_TYPES: ReadonlyArray<string> = [
  "application/json; charset=utf-8",
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/json; charset=utf-16",
  "multipart/form-data; boundary=x",
  "application/json, text/html",
]

export class FuzzRequests {
  readonly #samples = new Map<AST.AST, Array<Fields>>()
  readonly #arbitraries = new Map<AST.AST, fc.Arbitrary<Fields>>()
  readonly #routes: ReadonlyArray<DeclaredRoute>
  #made = 0

  constructor(
    routes: ReadonlyArray<DeclaredRoute>,
    private readonly world: FuzzWorld,
    private readonly random: Random,
    private readonly seed: number,
  ) {
    this.#routes = [...routes, ...OFTEN.flatMap((often) => routes.filter(({ name }) => name === often))]
  }

  /** For any route, or for one of those that are named. */
  next(names: ReadonlyArray<string> = []): FuzzRequest {
    this.#made += 1
    const route = this.#one(names.length === 0 ? this.#routes : this.#routes.filter(({ name }) => names.includes(name)))
    return this.#happens(1 - (SELDOM[route.name] ?? 1)) ? this.next(names) : this.#for(route)
  }

  #for(route: DeclaredRoute): FuzzRequest {
    let { path, method } = route as { path: string; method: string }
    if (this.#happens(0.01)) path = this.#one(PATHS)(path)
    if (this.#happens(0.01)) method = this.#one(METHODS)
    else if (method === "GET" && this.#happens(0.02)) method = "HEAD"
    const isHead = method === "HEAD"
    const isRouted = path === route.path && (method === route.method || isHead)
    const user = this.#user(route)
    const query = route.query === undefined ? "" : this.#queryText(this.#fields(route, route.query, user))
    const body =
      route.body === undefined || method === "GET"
        ? undefined
        : this.#bodyBytes(route.body, this.#fields(route, route.body, user))
    const head: Array<string> = [`${method} ${path}${query === "" ? "" : `?${query}`} HTTP/1.1`, "Host: localhost"]
    // No other page is heard there.
    if (route.name.startsWith("console.")) head.push("Origin: http://localhost")
    if (route.name === "console.renew") head.push(`Cookie: console=${this.world.idFor("refreshToken", user) ?? ""}`)
    if (user !== undefined) head.push(`Authorization: Bearer ${user.calls.token}`)
    else if (this.#happens(0.4)) head.push(`Authorization: ${this.#one(BAD_TOKENS)}`)
    const requestId = this.#happens(0.2) ? `fuzz.${this.#made}` : undefined
    if (requestId !== undefined) head.push(`X-Request-ID: ${requestId}`)
    else if (this.#happens(0.05))
      head.push(`X-Request-ID: ${this.#one(["", "a b", "<x>", "x".repeat(65), "a/b", "é"])}`)
    if (this.#happens(0.1)) head.push(`Idempotency-Key: ${this.#one(["i1", "i2", "i3", "", "x".repeat(300), "a b"])}`)
    if (this.#happens(0.05)) head.push(`User-Agent: ${this.#one(["{jndi:ldap://x}", "x".repeat(500), '"}', "\u00e9"])}`)
    if (body !== undefined) {
      const type = this.#happens(0.02) ? this.#one(CONTENT_TYPES) : "application/json"
      head.push(`Content-Type: ${type}`, `Content-Length: ${body.length}`)
    }
    const text = Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1")
    const bytes = body === undefined ? text : Buffer.concat([text, body])
    return { route, isRouted, isHead, user, requestId, bytes }
  }

  #user({ name, access }: DeclaredRoute): FuzzUser | undefined {
    const [admin, ...others] = this.world.users
    if (this.#happens(0.1)) return undefined
    // What a session does to itself would cost the admin his own, again and again.
    if (name.startsWith("auth.")) return this.#one(others)
    return this.#happens(access === "admin" ? 0.8 : 0.3) ? admin : this.#one(others)
  }

  /** Valid by the schema, likely in most fields, then bent up to three times. Mostly short: with every field set it means nothing to anybody. */
  #fields({ name: routeName }: DeclaredRoute, ast: AST.AST, user: FuzzUser | undefined): Fields {
    const fields = this.#sample(ast)
    const declared = fieldsOf(ast)
    const isPlain = this.#happens(0.6)
    const kin = this.world.kinFor(
      user,
      declared.map(({ name }) => name),
    )
    for (const { name, isOptional } of declared) {
      if (isOptional && !(isPlain && name in kin) && this.#happens(isPlain ? 0.85 : 0.5)) {
        delete fields[name]
        continue
      }
      const likely = isPlain || this.#happens(0.7) ? (kin[name] ?? this.#likely(name, user)) : undefined
      if (likely !== undefined) fields[name] = likely
    }
    const recipes = RECIPES[routeName]
    if (isPlain && recipes !== undefined && this.#happens(0.7)) Object.assign(fields, this.#one(recipes))
    const bends = this.#happens(isPlain ? 0.7 : 0.3) ? 0 : 1 + Math.floor(this.random() * 3)
    for (let bend = 0; bend < bends && declared.length > 0; bend++) this.#bend(fields, this.#one(declared))
    return fields
  }

  #bend(fields: Fields, { name, ast }: ReturnType<typeof fieldsOf>[number]): void {
    const dice = this.random()
    if (dice < 0.2) delete fields[name]
    else if (dice < 0.7) fields[name] = this.#one(HOSTILE_VALUES)
    else if (dice < 0.8) fields[name] = kindOf(ast) === "list" ? this.#one(HOSTILE_VALUES) : [fields[name]]
    else if (dice < 0.9) {
      const [key, value] = this.#one(Object.entries(MASS_ASSIGNED))
      fields[key] = value
    } else {
      const key = this.#one(PROTOTYPE_KEYS)
      Object.defineProperty(fields, key, { value: { polluted: 1 }, enumerable: true, configurable: true })
    }
  }

  #likely(name: string, user: FuzzUser | undefined): unknown {
    const id = this.world.idFor(name, user)
    if (id !== undefined) return name.endsWith("Ids") ? [id] : id
    if (name === "email")
      return this.#happens(0.3)
        ? this.#one(this.world.users.slice(1)).email
        : `fuzz-${this.#made}-${this.seed}@example.com`
    const words = LIKELY[name]
    return words === undefined ? undefined : this.#one(words)
  }

  #bodyBytes(ast: AST.AST, fields: Fields): Buffer {
    let text = JSON.stringify(fields)
    if (this.#happens(0.96)) return Buffer.from(text)
    const bytes = Buffer.from(text)
    switch (Math.floor(this.random() * 7)) {
      case 0:
        return bytes.subarray(0, Math.floor(this.random() * bytes.length))
      case 1: {
        bytes[Math.floor(this.random() * bytes.length)] = Math.floor(this.random() * 256)
        return bytes
      }
      case 2: {
        // The same name twice: the last one counts, or it is refused.
        const { name } = this.#one(fieldsOf(ast))
        text = `{${JSON.stringify(name)}:${JSON.stringify(this.#one(HOSTILE_VALUES))},${text.slice(1)}`
        return Buffer.from(text)
      }
      case 3:
        return Buffer.from(this.#one(["", "null", "[]", "1", '"x"', "{", "}", "\u0000", "[[[[", "{}{}", "\ufeff{}"]))
      case 4:
        return Buffer.concat([bytes, Buffer.from([0xff, 0xc0, 0x80])])
      case 5:
        return Buffer.from(`${"[".repeat(5_000)}${"]".repeat(5_000)}`)
      default:
        return Buffer.from(`{"x":"${"x".repeat(65_530)}"}`)
    }
  }

  #queryText(fields: Fields): string {
    const pairs: Array<string> = []
    for (const [name, value] of Object.entries(fields)) {
      const key = encodeURIComponent(name)
      if (Array.isArray(value) && this.#happens(0.5))
        for (const item of value.slice(0, 20)) pairs.push(`${key}${this.#one(["", "[]"])}=${encoded(item)}`)
      else if (value !== undefined && value !== null) pairs.push(`${key}=${encoded(value)}`)
      if (this.#happens(0.03))
        pairs.push(`${key}=${this.#one(["%", "%zz", "%00", "%ff", "%ed%a0%80", "a&a=b", "=", ""])}`)
    }
    if (this.#happens(0.05)) pairs.push(this.#one(["unknown=1", "&&&", "=", "%=%", "__proto__=1", "a[b][c]=1"]))
    const text = pairs.join("&")
    return text.length <= QUERY_CHARS_MAX ? text : text.slice(0, QUERY_CHARS_MAX).replace(/%.?$/, "")
  }

  #sample(ast: AST.AST): Fields {
    const waiting = this.#samples.get(ast)
    const next = waiting?.pop()
    if (next !== undefined) return next
    let arbitrary = this.#arbitraries.get(ast)
    if (arbitrary === undefined) {
      arbitrary = Arbitrary.make(Schema.make<Fields>(ast))
      this.#arbitraries.set(ast, arbitrary)
    }
    const samples = fc.sample(arbitrary, { numRuns: SAMPLES, seed: this.seed + this.#made })
    const made = samples.map((fields) => JSON.parse(JSON.stringify(fields)) as Fields)
    this.#samples.set(ast, made)
    return made.pop()!
  }

  #happens(chance: number): boolean {
    return this.random() < chance
  }

  #one<A>(list: ReadonlyArray<A>): A {
    return list[Math.floor(this.random() * list.length)]!
  }
}

/** A lone surrogate has no percent encoding: it goes as the bytes of what others make of it. */
const encoded = (value: unknown): string => {
  const text = typeof value === "string" ? value : String(JSON.stringify(value))
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"))
}
