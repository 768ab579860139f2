/**
 * The server API of the test profile, as Centrifugo's: publish into channels, look into them, and act on connections. Requests and
 * answers are JSON with Centrifugo's own names.
 */
import { Schema } from "effect"
import type { ServerSubscription } from "../channels/authority.ts"
import { historyRequest, isTooDeep, TOO_DEEP } from "../channels/queries.ts"
import type { Connection } from "../connection/connection.ts"
import type { Hub } from "../fanout/hub.ts"
import type { Served } from "../fanout/stream.ts"
import type { EncodedPublication } from "../fanout/topic.ts"
import { CLOSES, ERRORS, UNSUBSCRIBES } from "../protocol/error-codes.ts"
import type { JsonSource } from "../protocol/json-source.ts"
import type { ClientInfo } from "../protocol/protocol.ts"
import {
  type Answer,
  Channel,
  contentOf,
  Flag,
  failed,
  type Method,
  method,
  ok,
  Position,
  Text,
  Verbatim,
  Whole,
} from "./api-method.ts"
import { jsonOf } from "./claims.ts"
import type { OpenChannels } from "./open-channels.ts"
import type { OpenMap } from "./open-maps.ts"

// The server API's methods on maps: set and remove entries, and read them and their changes.

const Key = Schema.String.pipe(Schema.minLength(1))
const Limit = Schema.optionalWith(Schema.Int, { default: () => 0 })
const Offset = Schema.optionalWith(Whole, { default: () => 0 })

const MapPublish = Schema.Struct({
  channel: Channel,
  key: Key,
  data: Schema.optional(Schema.Unknown),
  b64data: Text,
  tags: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  key_mode: Schema.optionalWith(Schema.Literal("", "if_new", "if_exists"), { default: () => "" as const }),
})
const Remove = Schema.Struct({ channel: Channel, key: Key })
const ReadState = Schema.Struct({
  channel: Channel,
  key: Text,
  limit: Limit,
  cursor: Text,
  revision_offset: Offset,
  revision_epoch: Text,
})
const ReadStream = Schema.Struct({
  channel: Channel,
  limit: Limit,
  reverse: Flag,
  since_offset: Offset,
  since_epoch: Text,
})
const OfChannel = Schema.Struct({ channel: Channel })

/** Of entries that are asked for: -1 is all there are. */
const countOf = (limit: number): number => (limit < 0 ? Number.MAX_SAFE_INTEGER : limit)

const entry = ({ key, json, bytes, tags, offset, removed }: EncodedPublication) => ({
  key,
  ...(bytes === undefined
    ? { data: json === "" ? undefined : new Verbatim(json) }
    : { b64data: Buffer.from(bytes).toString("base64") }),
  tags,
  offset,
  removed,
})

const place = ({ epoch, offset }: OpenMap) => ({ offset, epoch })
const suppressed = (map: OpenMap, reason: string): Answer => ({
  result: { ...place(map), suppressed: true, suppress_reason: reason },
})

const mapMethods = (channels: OpenChannels): Readonly<Record<string, Method>> => {
  const inMap = (channel: string, run: (map: OpenMap) => Answer): Answer => {
    const served = channels.serve(channel)
    if ("code" in served) return failed(served)
    const map = channels.map(channel)
    return map === undefined ? failed(ERRORS.badRequest) : run(map)
  }

  /** Where a reader says it has read so far; in another epoch there is nothing to go on from. */
  const isOf = (map: OpenMap, epoch: string): boolean => epoch === "" || epoch === map.epoch

  return {
    map_publish: method(MapPublish, ({ channel, key, b64data, tags, key_mode: mode }, source) =>
      inMap(channel, (map) => {
        const content = contentOf(b64data, source)
        if (content === undefined) return failed(ERRORS.badRequest)
        if (isTooDeep(content)) return failed(TOO_DEEP)
        const exists = map.find(key) !== undefined
        if (mode === "if_new" && exists) return suppressed(map, "key_exists")
        if (mode === "if_exists" && !exists) return suppressed(map, "key_not_found")
        channels.set(map, channel, key, content, tags)
        return { result: place(map) }
      }),
    ),
    map_remove: method(Remove, ({ channel, key }) =>
      inMap(channel, (map) => (map.remove(key) ? { result: place(map) } : suppressed(map, "key_not_found"))),
    ),
    map_read_state: method(ReadState, ({ channel, key, limit, cursor, revision_epoch, revision_offset }) =>
      inMap(channel, (map) => {
        const after = Number(cursor)
        if (!Number.isSafeInteger(after) || after < 0) return failed(ERRORS.badRequest)
        if (!isOf(map, revision_epoch)) return failed(ERRORS.unrecoverablePosition)
        const upTo = revision_epoch === "" && revision_offset === 0 ? map.offset : revision_offset
        const found = map.find(key)
        const page =
          key === ""
            ? map.page(after, upTo, countOf(limit), () => true)
            : { entries: found === undefined ? [] : [found], next: undefined }
        const isWhole = page.next === undefined || limit === 0
        return {
          result: {
            entries: page.entries.map(entry),
            ...place(map),
            ...(isWhole ? undefined : { cursor: String(page.next) }),
          },
        }
      }),
    ),
    map_read_stream: method(ReadStream, ({ channel, limit, reverse, since_epoch, since_offset }) =>
      inMap(channel, (map) => {
        if (!isOf(map, since_epoch)) return failed(ERRORS.unrecoverablePosition)
        const since = since_epoch === "" && since_offset === 0 ? undefined : since_offset
        return { result: { entries: map.changesPage(countOf(limit), since, reverse).map(entry), ...place(map) } }
      }),
    ),
    map_stats: method(OfChannel, ({ channel }) => inMap(channel, (map) => ({ result: { num_keys: map.size } }))),
    map_clear: method(OfChannel, ({ channel }) =>
      inMap(channel, (map) => {
        channels.clear(map)
        return ok
      }),
    ),
  }
}

interface ServerApiParts {
  readonly channels: OpenChannels
  readonly hub: Hub
  readonly connections: Iterable<Connection>
  /** ms, from an arbitrary start. */
  readonly monotonic: () => number
  readonly version: string
  readonly node: string
}

const Content = {
  data: Schema.optional(Schema.Unknown),
  b64data: Text,
  tags: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  skip_history: Flag,
  idempotency_key: Text,
}
const Publish = Schema.Struct({ channel: Channel, ...Content })
const Broadcast = Schema.Struct({ channels: Schema.NonEmptyArray(Schema.String), ...Content })
/** Whom it is about: the user's connections, or one of them. An empty user is the anonymous one. */
const Whom = { user: Text, client: Text }
const Subscribe = Schema.Struct({
  channel: Channel,
  ...Whom,
  info: Schema.optional(Schema.Unknown),
  b64info: Text,
  data: Schema.optional(Schema.Unknown),
  b64data: Text,
  expire_at: Schema.optionalWith(Whole, { default: () => 0 }),
  recover_since: Schema.optional(Position),
})
const Unsubscribe = Schema.Struct({ channel: Text, ...Whom })
/** The codes that an application may close a WebSocket with, and a reason that fits into the frame. */
const Closing = Schema.Struct({ code: Schema.Int.pipe(Schema.between(3000, 4999)), reason: Text }).pipe(
  Schema.filter(({ reason }) => Buffer.byteLength(reason) <= 123),
)
const Disconnect = Schema.Struct({
  ...Whom,
  whitelist: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  disconnect: Schema.optional(Closing),
})
const Refresh = Schema.Struct({ ...Whom, expired: Flag, expire_at: Schema.optionalWith(Whole, { default: () => 0 }) })
const History = Schema.Struct({
  channel: Channel,
  limit: Schema.optionalWith(Schema.Int, { default: () => 0 }),
  since: Schema.optional(Position),
  reverse: Flag,
})
const Channels = Schema.Struct({ pattern: Text })
const Batch = Schema.Struct({ commands: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })) })

/** How long the same `idempotency_key` publishes nothing more, in ms. */
const IDEMPOTENCY_MILLIS = 300_000

const clientInfo = ({ conn_info, chan_info, ...who }: ClientInfo) => ({
  ...who,
  ...(conn_info === undefined ? undefined : { conn_info: new Verbatim(conn_info) }),
  ...(chan_info === undefined ? undefined : { chan_info: new Verbatim(chan_info) }),
})

const publication = ({ json, bytes, offset, tags, info }: EncodedPublication) => ({
  // The reference has no answer for bytes that are no JSON; this is how they are given to `publish`.
  ...(bytes === undefined ? { data: new Verbatim(json) } : { b64data: Buffer.from(bytes).toString("base64") }),
  offset,
  ...(tags === undefined ? undefined : { tags }),
  ...(info === undefined ? undefined : { info: clientInfo(info) }),
})

/** `*` and `?` stand for any characters, as at the reference. */
const glob = (pattern: string): RegExp => {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".")
  return new RegExp(`^${source}$`)
}

/** Calls a method by its name: Centrifugo's answer, or undefined when there is no such method. `source`: the parameters as they are written. */
export type ServerApi = (name: string, parameters: unknown, source: JsonSource) => Answer | undefined

export const makeServerApi = (parts: ServerApiParts): ServerApi => {
  const { channels, hub, connections, monotonic } = parts
  const startedAt = monotonic()
  const published = new Map<string, { readonly answer: Answer; readonly until: number }>()

  const whom = ({ user, client }: { readonly user: string; readonly client: string }) =>
    [...connections].filter((each) => {
      if (!each.isOpen || each.user === undefined) return false
      return client === "" ? each.user === user : each.client === client && (user === "" || each.user === user)
    })

  const inChannel = (channel: string, run: (served: Served) => Answer): Answer => {
    const served = channels.serve(channel)
    return "code" in served ? failed(served) : run(served)
  }

  /** What a map has methods of its own for. */
  const inStream = (channel: string, run: (served: Served) => Answer): Answer =>
    inChannel(channel, (served) => (served.map === undefined ? run(served) : failed(ERRORS.badRequest)))

  const publishOnce = (served: Served, content: Omit<typeof Publish.Type, "channel">, source: JsonSource): Answer => {
    const said = contentOf(content.b64data, source)
    if (said === undefined) return failed(ERRORS.badRequest)
    if (isTooDeep(said)) return failed(TOO_DEEP)
    const { tags, skip_history: skipHistory } = content
    return { result: channels.publish(served, said, { tags, skipHistory }) ?? {} }
  }

  const publish = (channel: string, content: Omit<typeof Publish.Type, "channel">, source: JsonSource): Answer =>
    inStream(channel, (served) => {
      const { idempotency_key: key } = content
      if (key === "") return publishOnce(served, content, source)
      const now = monotonic()
      for (const [oldest, { until }] of published) {
        if (until > now) break
        published.delete(oldest)
      }
      const name = `${key}\n${channel}`
      const before = published.get(name)
      if (before !== undefined) return before.answer
      const answer = publishOnce(served, content, source)
      published.set(name, { answer, until: now + IDEMPOTENCY_MILLIS })
      return answer
    })

  const present = (channel: string, run: (clients: ReadonlyArray<ClientInfo>) => unknown): Answer =>
    inChannel(channel, ({ canonical, settings }) =>
      settings.presence
        ? { result: run([...(hub.find(canonical)?.present.values() ?? [])]) }
        : failed(ERRORS.notAvailable),
    )

  const subscribe = (parameters: typeof Subscribe.Type, source: JsonSource): Answer => {
    const { channel, expire_at, recover_since, ...claims } = parameters
    return inStream(channel, () => {
      const subscription: ServerSubscription = {
        channel,
        info: jsonOf({ claims, source }, "info"),
        data: jsonOf({ claims, source }, "data"),
        expiresAt: expire_at > 0 ? expire_at : null,
      }
      const since = recover_since === undefined ? undefined : { recover: true, ...recover_since }
      for (const connection of whom(claims)) connection.subscribeServerSide(subscription, since)
      return ok
    })
  }

  const unsubscribe = ({ channel, ...rest }: typeof Unsubscribe.Type): Answer => {
    const served = channel === "" ? undefined : channels.serve(channel)
    if (served !== undefined && "code" in served) return failed(served)
    for (const { subscriptions } of whom(rest))
      for (const each of channel === "" ? subscriptions.channels : [channel])
        subscriptions.endChannel(each, UNSUBSCRIBES.server)
    return ok
  }

  const disconnect = ({ whitelist, disconnect: how, ...rest }: typeof Disconnect.Type): Answer => {
    const close = how === undefined ? CLOSES.forced : ([how.code, how.reason] as const)
    for (const connection of whom(rest)) if (!whitelist.includes(connection.client)) connection.close(close)
    return ok
  }

  const refresh = ({ expired, expire_at, ...rest }: typeof Refresh.Type): Answer => {
    for (const connection of whom(rest)) {
      if (expired) connection.close(CLOSES.expired)
      else connection.prolong(expire_at > 0 ? expire_at : null)
    }
    return ok
  }

  const history = ({ channel, ...asked }: typeof History.Type): Answer =>
    inChannel(channel, ({ canonical, settings, source }) => {
      if (settings.historySize === 0) return failed(ERRORS.notAvailable)
      const request = historyRequest(asked, settings.historySize)
      if ("code" in request) return failed(request)
      const { epoch, offset } = source.position(canonical)
      const { since, limit, reverse } = request
      if (since !== undefined && since.epoch !== "" && since.epoch !== epoch)
        return failed(ERRORS.unrecoverablePosition)
      const publications = hub.find(canonical)?.page(limit, since?.offset, reverse) ?? []
      return { result: { publications: publications.map(publication), offset, epoch } }
    })

  const historyRemove = ({ channel }: typeof OfChannel.Type): Answer =>
    inChannel(channel, ({ canonical, settings }) => {
      if (settings.historySize === 0) return failed(ERRORS.notAvailable)
      hub.find(canonical)?.forget()
      return ok
    })

  const listed = ({ pattern }: typeof Channels.Type): Answer => {
    const wanted = glob(pattern === "" ? "*" : pattern)
    const found = [...hub.all()].flatMap(({ served, subscribers }) =>
      subscribers > 0 && wanted.test(served.canonical)
        ? [[served.canonical, { num_clients: subscribers }] as const]
        : [],
    )
    return { result: { channels: Object.fromEntries(found) } }
  }

  const node = (): Answer => {
    const users = [...connections].flatMap(({ user }) => (user === undefined ? [] : [user]))
    const { channels: open, subscriptions } = hub.stats()
    const facts = {
      uid: parts.node,
      name: "venue-gateway",
      version: parts.version,
      num_clients: users.length,
      num_users: new Set(users).size,
      num_subs: subscriptions,
      num_channels: open,
      uptime: Math.floor((monotonic() - startedAt) / 1000),
    }
    return { result: { nodes: [facts] } }
  }

  /** One command of a batch names its method by its key; the reply does too. */
  const reply = (command: Readonly<Record<string, unknown>>, source: JsonSource | undefined): unknown => {
    const [name = "", parameters] = Object.entries(command)[0] ?? []
    const written = source?.member(name)
    const answer = name === "batch" || written === undefined ? undefined : api(name, parameters, written)
    if (answer === undefined) return failed(ERRORS.methodNotFound)
    return "result" in answer ? { [name]: answer.result } : answer
  }

  const methods: Readonly<Record<string, Method>> = {
    publish: method(Publish, ({ channel, ...content }, source) => publish(channel, content, source)),
    broadcast: method(Broadcast, ({ channels: names, ...content }, source) => ({
      result: {
        responses: names.map((name) => (name === "" ? failed(ERRORS.badRequest) : publish(name, content, source))),
      },
    })),
    subscribe: method(Subscribe, subscribe),
    unsubscribe: method(Unsubscribe, unsubscribe),
    disconnect: method(Disconnect, disconnect),
    refresh: method(Refresh, refresh),
    presence: method(OfChannel, ({ channel }) =>
      present(channel, (clients) => ({
        presence: Object.fromEntries(clients.map((info) => [info.client, clientInfo(info)])),
      })),
    ),
    presence_stats: method(OfChannel, ({ channel }) =>
      present(channel, (clients) => ({
        num_clients: clients.length,
        num_users: new Set(clients.map(({ user }) => user)).size,
      })),
    ),
    history: method(History, history),
    history_remove: method(OfChannel, historyRemove),
    channels: method(Channels, listed),
    ...mapMethods(channels),
    info: method(Schema.Struct({}), node),
    batch: method(Batch, ({ commands }, source) => {
      const written = source.member("commands")?.items() ?? []
      return { replies: commands.map((command, index) => reply(command, written[index])) }
    }),
  }

  const api: ServerApi = (name, parameters, source) =>
    Object.hasOwn(methods, name) ? methods[name]?.(parameters, source) : undefined
  return api
}
