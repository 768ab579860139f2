/** The server API's methods on maps: set and remove entries, and read them and their changes. */
import { Schema } from "effect"
import { isTooDeep, TOO_DEEP } from "../channels/published.ts"
import type { Outgoing } from "../fanout/topic.ts"
import { ERRORS } from "../protocol/error-codes.ts"
import { Verbatim } from "./api-json.ts"
import { type Answer, Channel, contentOf, Flag, failed, type Method, method, ok, Text, Whole } from "./api-method.ts"
import type { OpenChannels } from "./open-channels.ts"
import type { OpenMap } from "./open-maps.ts"

const Key = Schema.String.pipe(Schema.minLength(1))
const Limit = Schema.optionalWith(Schema.Int, { default: () => 0 })
const Offset = Schema.optionalWith(Whole, { default: () => 0 })

const Publish = Schema.Struct({
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

const entry = ({ key, json, bytes, tags, offset, removed }: Outgoing) => ({
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

export const mapMethods = (channels: OpenChannels): Readonly<Record<string, Method>> => {
  const inMap = (channel: string, run: (map: OpenMap) => Answer): Answer => {
    const served = channels.serve(channel)
    if ("code" in served) return failed(served)
    const map = channels.map(channel)
    return map === undefined ? failed(ERRORS.badRequest) : run(map)
  }

  /** Where a reader says it has read so far; in another epoch there is nothing to go on from. */
  const isOf = (map: OpenMap, epoch: string): boolean => epoch === "" || epoch === map.epoch

  return {
    map_publish: method(Publish, ({ channel, key, b64data, tags, key_mode: mode }, source) =>
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
