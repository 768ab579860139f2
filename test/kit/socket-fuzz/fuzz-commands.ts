/** Commands with absurd parameters, mixed with ordinary ones. */
import { BOOK } from "../servers/socket-server.ts"
import type { Fields } from "./fuzz-fields.ts"
import type { World } from "./fuzz-rules.ts"

export type Random = () => number

export const METHODS = [
  "connect",
  "subscribe",
  "unsubscribe",
  "publish",
  "presence",
  "presence_stats",
  "history",
  "ping",
  "send",
  "rpc",
  "refresh",
  "sub_refresh",
] as const
export type FuzzMethod = (typeof METHODS)[number]

export const pick = <A>(random: Random, values: ReadonlyArray<A>): A => {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error("nothing to pick from")
  return value
}
const upTo = (random: Random, max: number): number => Math.floor(random() * (max + 1))
const chance = (random: Random, share: number): boolean => random() < share

const NAMES = ["market:trade:MOCK:BTC/USDT", "market:ticker:MOCK:BTC/USDT", "market:ticker:MOCK", BOOK]
const ALIASES = ["market:trade:MOCK:BTC-USDT", "market:orderbook:MOCK:BTC-USDT", "market:ticker:MOCK:BTC-USDT"]
const STRANGE = [
  "",
  " ",
  "x",
  "__proto__",
  "constructor",
  "toString",
  "market:",
  "market:trade:MOCK:",
  "market:trade:MOCK:BTC/USDT:",
  "market:trade:MOCK:BTC/USDT\u0000",
  "market:trade:MOCK:BTC/USDT\n",
  "MARKET:TRADE:MOCK:BTC/USDT",
  "market:trade:NOWHERE:BTC/USDT",
  "market:trade:MOCK:*",
  "market:kline:MOCK:BTC/USDT",
  "$market:trade:MOCK:BTC/USDT",
  "market:trade:MOCK:ВТС/USDT",
  "tradingAccount:",
  "tradingAccount:*",
  "tradingAccount:00000000-0000-4000-8000-000000000000",
  "tradingAccount:../../etc",
  "a:b:c",
  "\ud800",
  "💡".repeat(64),
]

const channel = (random: Random, { accountId }: World): string => {
  const kind = random()
  if (kind < 0.45) return pick(random, NAMES)
  if (kind < 0.55) return pick(random, ALIASES)
  if (kind < 0.7) return `tradingAccount:${accountId}`
  if (kind < 0.74) return `tradingAccount:${accountId}${pick(random, [":orders", ":positions", ":x", " ", "é"])}`
  if (kind < 0.76) return `tradingAccount:${accountId.toUpperCase()}`
  if (kind < 0.8) return pick(random, ["x", "é", "💡"]).repeat(pick(random, [64, 127, 128, 254, 255, 256, 1000]))
  return pick(random, STRANGE)
}

/** Of no type in particular. */
const anyValue = (random: Random, depth = 0): unknown => {
  switch (upTo(random, depth > 3 ? 7 : 10)) {
    case 0:
      return null
    case 1:
      return chance(random, 0.5)
    case 2:
      return number(random)
    case 3:
      return pick(random, STRANGE)
    case 4:
      return "y".repeat(pick(random, [0, 1, 100, 5000]))
    case 5:
      return ""
    case 6:
      return number(random)
    case 7:
      return {}
    case 8:
      return Array.from({ length: upTo(random, 4) }, () => anyValue(random, depth + 1))
    case 9:
      return Object.fromEntries(
        Array.from({ length: upTo(random, 3) }, () => [
          pick(random, ["a", "__proto__", "constructor", "data", "id", "encoding", "epoch", "offset", ""]),
          anyValue(random, depth + 1),
        ]),
      )
    default:
      return nested(pick(random, [2, 30, 500]))
  }
}

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let n = 0; n < depth; n++) value = n % 2 === 0 ? [value] : { a: value }
  return value
}

const number = (random: Random): number =>
  pick(random, [
    0,
    1,
    -1,
    2,
    3,
    1.5,
    255,
    256,
    65_536,
    2 ** 31 - 1,
    2 ** 31,
    -(2 ** 31),
    2 ** 32,
    2 ** 53 - 1,
    2 ** 53,
    2 ** 60,
    1e308,
    -1e308,
    5e-324,
  ])

/** Numbers that Protobuf can carry in a field of 64 bits without a sign. */
const offset = (random: Random): number => pick(random, [0, 1, 2, 10, 100, 1000, 2 ** 32, 2 ** 53 - 1, 2 ** 60])

const KEYS = ["side", "instrumentId", "a", "", "__proto__", "constructor"]
const COMPARISONS = ["eq", "neq", "in", "nin", "ex", "nex", "sw", "ew", "ct", "lt", "lte", "gt", "gte", "like", ""]

const filter = (random: Random, depth = 0): Fields => {
  if (depth < 5 && chance(random, 0.4)) {
    const op = pick(random, ["and", "or", "not", "and", "or", "not", "xor"])
    const nodes = Array.from({ length: op === "not" && chance(random, 0.8) ? 1 : upTo(random, 3) }, () =>
      filter(random, depth + 1),
    )
    return { op, nodes }
  }
  const cmp = pick(random, COMPARISONS)
  const isList = cmp === "in" || cmp === "nin"
  return {
    key: pick(random, KEYS),
    cmp,
    ...(isList ? { vals: Array.from({ length: upTo(random, 3) }, () => pick(random, ["BUY", "1", ""])) } : undefined),
    ...(!isList && chance(random, 0.7) ? { val: pick(random, ["BUY", "1.50", "", "x".repeat(300)]) } : undefined),
  }
}

const deepFilter = (depth: number): Fields => {
  let tf: Fields = { key: "a", cmp: "ex" }
  for (let n = 0; n < depth; n++) tf = { op: "not", nodes: [tf] }
  return tf
}

const mapPage = (random: Random): Fields => ({
  type: 1,
  phase: pick(random, [0, 1, 2, 2, 3, -1, 2 ** 31 - 1]),
  ...(chance(random, 0.4) ? { cursor: pick(random, ["", "x", "__proto__", "y".repeat(500)]) } : undefined),
  ...(chance(random, 0.4) ? { limit: pick(random, [-1, 0, 1, 100, 1000, 2 ** 31 - 1]) } : undefined),
})

const token = (random: Random): string =>
  pick(random, ["alice", "alice", "alice", "bob", "root", "old", "nobody", "", "__proto__", "x".repeat(2000)])

const epoch = (random: Random, known: string): string => pick(random, [known, known, known, "", "gone", "__proto__"])

/** Fields of the right types, with values from everywhere. Of Protobuf these are all there can be. */
const typedRequest = (random: Random, method: FuzzMethod, world: World, known: string): Fields => {
  const named = { channel: channel(random, world) }
  switch (method) {
    case "connect":
      return { token: token(random), name: "fuzz", data: { any: 1 } }
    case "subscribe":
      return {
        ...named,
        ...(chance(random, 0.3) ? { recover: true, offset: offset(random), epoch: epoch(random, known) } : undefined),
        ...(chance(random, 0.2) ? { delta: pick(random, ["fossil", "fossil", "", "vcdiff"]) } : undefined),
        ...(chance(random, 0.3) ? { flag: upTo(random, 3) } : undefined),
        ...(chance(random, 0.1) ? { type: pick(random, [0, 2, 3, 4, 5, -1]) } : undefined),
        // Maps of accounts are read from storage, and answered out of turn.
        ...(named.channel.startsWith("market:") && chance(random, 0.1) ? mapPage(random) : undefined),
        ...(chance(random, 0.2)
          ? { tf: chance(random, 0.9) ? filter(random) : deepFilter(upTo(random, 60)) }
          : undefined),
        ...(chance(random, 0.1)
          ? { data: pick(random, [{}, { encoding: "protobuf" }, { encoding: "json" }, { encoding: "x" }, 5, "x"]) }
          : undefined),
      }
    case "publish":
      return { ...named, ...(chance(random, 0.8) ? { data: { n: 1 } } : undefined) }
    case "history":
      return {
        ...named,
        ...(chance(random, 0.8) ? { limit: pick(random, [0, 1, 5, 100, -1, -5, 2 ** 31 - 1]) } : undefined),
        ...(chance(random, 0.4) ? { since: { offset: offset(random), epoch: epoch(random, known) } } : undefined),
        ...(chance(random, 0.3) ? { reverse: true } : undefined),
      }
    case "rpc":
      return {
        method: pick(random, ["x", "", "__proto__", "constructor", "tradeOrder.submit", "y".repeat(3000)]),
        data: { a: 1 },
      }
    case "send":
      return { data: { a: 1 } }
    case "refresh":
      return { token: token(random) }
    case "ping":
      return {}
    default:
      return { ...named, token: "x" }
  }
}

/** Some fields of it are of no type that was meant, some are missing, and some nobody has heard of. */
const disturbed = (random: Random, request: Fields): Fields => {
  const names = [
    ...Object.keys(request),
    "channel",
    "token",
    "limit",
    "since",
    "offset",
    "tf",
    "delta",
    "data",
    "__proto__",
  ]
  const name = pick(random, names)
  const rest = Object.entries(request).filter(([key]) => key !== name)
  // `fromEntries` makes a property of its own even of `__proto__`.
  return Object.fromEntries(chance(random, 0.25) ? rest : [...rest, [name, anyValue(random)]])
}

export interface FuzzCommand {
  readonly id: number
  readonly method: FuzzMethod
  readonly request: Fields
}

export interface CommandSource {
  readonly random: Random
  readonly world: World
  readonly isConnected: boolean
  /** An epoch that the client was told. */
  readonly epoch: string
  readonly nextId: () => number
  readonly format: "json" | "protobuf"
}

/** What is sent often, and what ends most connections seldom. */
const OFTEN: ReadonlyArray<FuzzMethod> = [
  ...METHODS.filter((method) => method !== "connect" && method !== "refresh"),
  "subscribe",
  "unsubscribe",
  "history",
]
const SELDOM: ReadonlyArray<FuzzMethod> = ["connect", "refresh"]

const methodOf = (random: Random, isConnected: boolean): FuzzMethod => {
  if (!isConnected && chance(random, 0.97)) return "connect"
  return pick(random, chance(random, 0.01) ? SELDOM : OFTEN)
}

export const fuzzCommand = ({
  random,
  world,
  isConnected,
  epoch: known,
  nextId,
  format,
}: CommandSource): FuzzCommand => {
  const method = methodOf(random, isConnected)
  const request =
    method === "connect" && chance(random, 0.9) ? { token: "alice" } : typedRequest(random, method, world, known)
  const id = method === "send" ? 0 : nextId()
  return { id, method, request: format === "json" && chance(random, 0.15) ? disturbed(random, request) : request }
}
