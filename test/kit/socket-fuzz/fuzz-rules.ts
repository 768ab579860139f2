/**
 * The correct reactions to a command, written from the protocol's specification (realtime A, and B where that differs) and not from the server:
 * which closes, which errors, or which results. Where the specification is silent, every reasonable reading is correct.
 */
import { type Fields, isAbsent, isFields } from "./fuzz-fields.ts"
import { filterIs } from "./fuzz-filter.ts"

export const BAD_REQUEST = 3501

/** Outcomes of one command that are right. */
export interface Outcomes {
  readonly closes: ReadonlyArray<number>
  readonly errors: ReadonlyArray<number>
  /** What is wrong with a result; undefined where no result is right. An empty text: nothing. */
  readonly result: ((result: Fields) => string) | undefined
  /** Neither a result nor an error follows. */
  readonly isSilent?: boolean
}

/** What is known of a connection when a command comes. */
export interface FuzzState {
  readonly isConnected: boolean
  readonly user: string
  readonly subscribed: ReadonlySet<string>
  /** Asked for as maps, page by page: subscribed or not yet. */
  readonly uncertain: ReadonlySet<string>
  readonly format: "json" | "protobuf"
}

export interface World {
  readonly accountId: string
  readonly accountOwner: string
  readonly channelsMax: number
  /** The most that one `history` or recovery gives. */
  readonly historyMax: number
}

const closes = (...codes: ReadonlyArray<number>): Outcomes => ({ closes: codes, errors: [], result: undefined })
const errors = (...codes: ReadonlyArray<number>): Outcomes => ({ closes: [], errors: codes, result: undefined })
const anything = (): string => ""
const done = (result: (result: Fields) => string = anything): Outcomes => ({ closes: [], errors: [], result })
const either = (...all: ReadonlyArray<Outcomes>): Outcomes => ({
  closes: all.flatMap((each) => each.closes),
  errors: all.flatMap((each) => each.errors),
  result: all.find((each) => each.result !== undefined)?.result,
})

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

type Channel = "book" | "trade" | "ticker" | "account" | "map" | "forbidden" | "unclear" | "unknown" | "malformed"

/** What stands behind a name, for this user: the table of realtime B. */
const channelOf = (name: string, user: string, { accountId, accountOwner }: World): Channel => {
  const [namespace = "", ...rest] = name.split(":")
  if (namespace !== "tradingAccount" && namespace !== "market") return "unknown"
  if ([...name].some((character) => character > "~" || character < " ")) return "malformed"
  if (namespace === "tradingAccount") {
    const [id = "", part, ...more] = rest
    if (id === accountId && more.length === 0) {
      if (part !== undefined && part !== "orders" && part !== "positions") return "unknown"
      if (user !== accountOwner && user !== "root") return "forbidden"
      return part === undefined ? "account" : "map"
    }
    return UUID.test(id) ? "unclear" : "unknown"
  }
  const [kind = "", venue = "", symbol, ...more] = rest
  if (venue !== "MOCK" || more.length > 0) return "unknown"
  if (kind === "ticker" && symbol === undefined) return "ticker"
  if (symbol !== "BTC/USDT" && symbol !== "BTC-USDT") return "unknown"
  return kind === "orderbook" ? "book" : kind === "trade" || kind === "ticker" ? kind : "unknown"
}

/** Of names that may not be used; undefined for the others. */
const refusedName = (channel: Channel): Outcomes | undefined => {
  if (channel === "unknown") return errors(102)
  if (channel === "malformed") return errors(107)
  if (channel === "forbidden") return errors(103)
  // An account's id that there is not, or one in another spelling: no such channel, or not yours.
  if (channel === "unclear") return errors(102, 103)
  return undefined
}

interface Publication {
  readonly offset?: number
}

/** What is wrong with the numbers of a list of publications. */
const inOrder = (list: unknown, step: 1 | -1): string => {
  if (list === undefined) return ""
  if (!Array.isArray(list)) return "publications are no list"
  const offsets = (list as ReadonlyArray<Publication>).map(({ offset = 0 }) => offset)
  const breaks = offsets.findIndex((offset, n) => n > 0 && offset !== (offsets[n - 1] ?? 0) + step)
  return breaks < 0 ? "" : `publication ${breaks} has offset ${offsets[breaks]} after ${offsets[breaks - 1]}`
}

const subscribeResult =
  (channel: Channel, { recover, offset = 0, epoch = "" }: Fields) =>
  (result: Fields): string => {
    const { recovered, publications, epoch: now } = result
    if (recover === true && result["was_recovering"] !== true) return "no was_recovering"
    if (recovered !== true || channel === "ticker") return ""
    if (recover !== true) return "recovered without being asked"
    if (epoch !== "" && epoch !== now) return `recovered from epoch ${epoch} in ${now}`
    if ((result["offset"] ?? 0) !== offset) return `offset ${result["offset"]} for a position of ${offset}`
    const first = (publications as ReadonlyArray<Publication> | undefined)?.[0]?.offset
    if (first !== undefined && first !== Number(offset) + 1) return `recovered from ${first} after ${offset}`
    return inOrder(publications, 1)
  }

const subscribe = (fields: Fields, state: FuzzState, world: World): Outcomes => {
  const { channel: name = "", delta = "" } = fields
  if (typeof name !== "string" || name === "") return closes(BAD_REQUEST)
  if (delta !== "" && delta !== "fossil") return closes(BAD_REQUEST)
  if (Buffer.byteLength(name) > 255) return errors(107)
  if (state.subscribed.has(name)) return errors(105)
  if (state.subscribed.size >= world.channelsMax) return errors(106)
  const right = subscribeFresh(fields, name, state, world)
  // Maps have their own tests: here nothing of them may fall over.
  const mayBe = state.uncertain.has(name) ? [errors(105, 107, 112, 113)] : []
  const mayBeFull = state.subscribed.size + state.uncertain.size >= world.channelsMax ? [errors(106)] : []
  return either(right, ...mayBe, ...mayBeFull)
}

/** Of a channel that the connection is not on. */
const subscribeFresh = (fields: Fields, name: string, state: FuzzState, world: World): Outcomes => {
  const { type = 0, tf, data } = fields
  const channel = channelOf(name, state.user, world)
  const refused = refusedName(channel)
  if (refused !== undefined) return type === 0 ? refused : either(refused, errors(103))
  if (type === 1) return either(done(), errors(103, 107, 112, 113))
  if (type !== 0 || channel === "map") return errors(103)
  const filter = isAbsent(tf) ? "valid" : filterIs(tf)
  if (!isAbsent(tf) && channel !== "trade" && channel !== "account" && name !== "market:ticker:MOCK") return errors(107)
  if (filter === "malformed") return errors(107)
  const found = done(subscribeResult(channel, fields))
  // What a subscriber hands along may be an option of the channel that is not offered.
  const options = isAbsent(data) ? found : either(found, errors(107))
  const flag = typeof fields["flag"] === "number" ? fields["flag"] : 0
  const mayReject = fields["recover"] === true && (Math.trunc(flag) & 2) !== 0
  return either(options, ...(filter === "unclear" ? [errors(107)] : []), ...(mayReject ? [errors(112)] : []))
}

const history = (fields: Fields, state: FuzzState, world: World): Outcomes => {
  const { channel: name = "", limit = 0, since, reverse = false } = fields
  if (typeof name !== "string" || name === "") return closes(BAD_REQUEST)
  const channel = Buffer.byteLength(name) > 255 ? "malformed" : channelOf(name, state.user, world)
  const refused = refusedName(channel)
  // Beyond its length or its letters a name is no channel's.
  if (refused !== undefined) return channel === "malformed" ? errors(102, 107) : refused
  if (channel === "ticker") return errors(108)
  if (channel === "map") return errors(102, 103, 108)
  const allowed: Array<Outcomes> = []
  if (isFields(since)) {
    const { offset = 0, epoch = "" } = since
    const isPlain = (isAbsent(offset) || Number.isSafeInteger(offset)) && (isAbsent(epoch) || typeof epoch === "string")
    if (!isPlain || Number(offset) < 0) allowed.push(errors(107), closes(BAD_REQUEST))
    if (reverse === true && Number(offset) === 0) allowed.push(errors(107))
    // The stream's own epoch is known to the client alone: any other is refused.
    if (epoch !== "" && !isAbsent(epoch)) allowed.push(errors(112))
    if (reverse === true && Number(offset) === 0) return either(...allowed)
  }
  const isLarge = Math.abs(Number(limit)) > 2_147_483_647
  const check = (result: Fields): string => {
    const publications = result["publications"] ?? []
    if (!Array.isArray(publications)) return "publications are no list"
    const most = Number(limit) < 0 ? world.historyMax : Math.min(Number(limit), world.historyMax)
    if (publications.length > most) return `${publications.length} publications for a limit of ${limit}`
    return inOrder(publications, reverse === true ? -1 : 1)
  }
  return either(done(check), ...(isLarge ? [errors(107), closes(BAD_REQUEST)] : []), ...allowed)
}

const ofChannel = (fields: Fields, state: FuzzState, world: World, otherwise: Outcomes): Outcomes => {
  const { channel: name = "" } = fields
  if (typeof name !== "string" || name === "") return closes(BAD_REQUEST)
  const channel = Buffer.byteLength(name) > 255 ? "malformed" : channelOf(name, state.user, world)
  if (channel === "malformed") return errors(102, 107)
  if (channel === "map") return errors(102, 103, 108)
  return refusedName(channel) ?? otherwise
}

/** A token's user, or what it is. The names of the test server. */
const tokenIs = (token: unknown): "none" | "expired" | "invalid" | "alice" | "bob" | "root" => {
  if (typeof token !== "string" || token === "") return "none"
  if (token === "old") return "expired"
  return token === "alice" || token === "bob" || token === "root" ? token : "invalid"
}

const connect = ({ token }: Fields): Outcomes => {
  const is = tokenIs(token)
  if (is === "none") return closes(BAD_REQUEST)
  if (is === "invalid") return closes(3500)
  if (is === "expired") return errors(109)
  return done((result) => (typeof result["client"] === "string" ? "" : "no client"))
}

const refresh = ({ token }: Fields, { user }: FuzzState): Outcomes => {
  const is = tokenIs(token)
  if (is === "none") return closes(BAD_REQUEST)
  if (is === "expired") return closes(3005)
  if (is !== user) return closes(3500)
  return done((result) => (result["expires"] === true ? "" : "does not expire"))
}

/** What is right for one command that is well-formed. */
export const outcomesOf = (method: string, request: Fields, state: FuzzState, world: World): Outcomes => {
  const fields = Object.fromEntries(Object.entries(request).filter(([, value]) => !isAbsent(value)))
  return rightFor(method, fields, state, world)
}

const rightFor = (method: string, fields: Fields, state: FuzzState, world: World): Outcomes => {
  if (!state.isConnected) return method === "connect" ? connect(fields) : closes(BAD_REQUEST)
  switch (method) {
    case "connect":
      return closes(BAD_REQUEST)
    case "subscribe":
      return subscribe(fields, state, world)
    case "unsubscribe":
      return fields["channel"] === undefined || fields["channel"] === "" ? closes(BAD_REQUEST) : done()
    case "publish":
      return ofChannel(fields, state, world, errors(103, 107))
    case "presence":
    case "presence_stats":
      return ofChannel(fields, state, world, errors(108))
    case "history":
      return history(fields, state, world)
    case "ping":
      return done()
    case "send":
      return { closes: [], errors: [], result: undefined, isSilent: true }
    case "rpc":
      return errors(104)
    case "refresh":
      return refresh(fields, state)
    default: {
      const { channel = "" } = fields
      if (channel === "") return closes(BAD_REQUEST)
      return state.subscribed.has(String(channel)) || state.uncertain.has(String(channel))
        ? either(done(), errors(103))
        : errors(103)
    }
  }
}
