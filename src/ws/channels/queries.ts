/** A client's queries about a channel, and its publications into one: history, presence, publish. The same access rules as for subscribing. */

import { randomUUID } from "node:crypto"
import type { Client, ConnectionContext } from "../connection/client.ts"
import { clientInfo } from "../fanout/presence.ts"
import { whenPresent } from "../fanout/recovery.ts"
import type { EncodedPublication } from "../fanout/topic.ts"
import { CLOSES, ERRORS, type ProtocolError } from "../protocol/error-codes.ts"
import { isDeeperThan } from "../protocol/json-source.ts"
import type { ClientInfo, Command, CommandOf, JsonText, PublicationBody } from "../protocol/protocol.ts"
import type { ParametersOf } from "../protocol/requests.ts"
import type { Credentials, Granted, SubscriptionRequest } from "./authority.ts"

// What clients may publish: any bytes, or JSON that its readers can traverse.

/** As of a request over HTTP: JSON of great depth parses, but overflows the stack of a reader that walks it. */
const DEPTH_MAX = 32

export const TOO_DEEP: ProtocolError = {
  code: ERRORS.badRequest.code,
  message: `data is nested deeper than ${DEPTH_MAX} levels`,
}

export const isTooDeep = (content: JsonText | Uint8Array): boolean =>
  typeof content === "string" && isDeeperThan(content, DEPTH_MAX)

export type Query = Extract<Command, { readonly method: "publish" | "presence" | "presence_stats" | "history" }>

const requestOf = (connection: Client, command: Query): SubscriptionRequest => ({
  channel: command.parameters.channel ?? "",
  type: command.method === "publish" ? (command.parameters.type ?? 0) : 0,
  token: "",
  client: connection.client,
  purpose: "query",
})

/** Answers at once, or after another process has judged who asks. */
export const answerQuery = (
  connection: Client,
  command: Query,
  credentials: Credentials,
  context: ConnectionContext,
): void => {
  const access =
    (command.parameters.channel ?? "") === ""
      ? undefined
      : context.authority.access(credentials, requestOf(connection, command))
  if (access?._tag !== "Later" || access.isElsewhere !== true) return answer(connection, command, credentials, context)
  if (!connection.begins()) return connection.refuse(command, ERRORS.tooManyRequests)
  access.learn((known) => {
    connection.ended()
    if (!connection.isOpen) return
    const present = connection.judged()
    if (present === undefined) return
    if (known) connection.attempt(() => answer(connection, command, present, context))
    else connection.refuse(command, ERRORS.internal)
  })
}

const answer = (connection: Client, command: Query, credentials: Credentials, context: ConnectionContext): void => {
  switch (command.method) {
    case "publish":
      return answerPublish(connection, command, credentials, context)
    case "history":
      return answerHistory(connection, command, credentials, context)
    case "presence":
      return answerPresence(connection, command, credentials, context)
    case "presence_stats":
      return answerPresenceStats(connection, command, credentials, context)
  }
}

/** Grants the channel or answers why not; undefined when answered. */
const allowed = (
  connection: Client,
  command: Query,
  credentials: Credentials,
  { authority }: ConnectionContext,
): Granted | undefined => {
  const { channel = "" } = command.parameters
  if (channel === "") {
    connection.close(CLOSES.badRequest)
    return undefined
  }
  const access = authority.access(credentials, requestOf(connection, command))
  switch (access._tag) {
    case "Granted":
      return access
    case "Closed":
      connection.close(access.close)
      return undefined
    case "Denied":
      connection.refuse(command, access.error)
      return undefined
    case "Later":
      // A channel not known yet has no history and no subscribers.
      connection.refuse(command, ERRORS.unknownChannel)
      return undefined
  }
}

const answerPublish = (
  connection: Client,
  command: CommandOf<"publish">,
  credentials: Credentials,
  context: ConnectionContext,
): void => {
  const granted = allowed(connection, command, credentials, context)
  if (granted === undefined) return
  const { served } = granted
  if (!served.settings.publish || context.authority.publish === undefined)
    return connection.refuse(command, ERRORS.permissionDenied)
  const { key = "", removed = false } = command.parameters
  const content = removed && served.map !== undefined ? null : command.content
  if (content === undefined) return connection.refuse(command, ERRORS.badRequest)
  if (content !== null && isTooDeep(content)) return connection.refuse(command, TOO_DEEP)
  // A subscriber says it as who it is there.
  const present = context.hub.find(served.canonical)?.present.get(connection.client)
  const info = present ?? clientInfo(connection.client, credentials, granted)
  const refused = context.authority.publish(served, { content, key, info })
  if (refused === undefined) connection.reply(command, {})
  else connection.refuse(command, refused)
}

const answerPresence = (
  connection: Client,
  command: CommandOf<"presence">,
  credentials: Credentials,
  context: ConnectionContext,
): void => {
  const granted = allowed(connection, command, credentials, context)
  if (granted === undefined) return
  if (!granted.served.settings.presence) return connection.refuse(command, ERRORS.notAvailable)
  const present = context.hub.find(granted.served.canonical)?.present ?? new Map<string, ClientInfo>()
  connection.reply(command, { presence: Object.fromEntries(present) })
}

const answerPresenceStats = (
  connection: Client,
  command: CommandOf<"presence_stats">,
  credentials: Credentials,
  context: ConnectionContext,
): void => {
  const granted = allowed(connection, command, credentials, context)
  if (granted === undefined) return
  if (!granted.served.settings.presence) return connection.refuse(command, ERRORS.notAvailable)
  const present = [...(context.hub.find(granted.served.canonical)?.present.values() ?? [])]
  connection.reply(command, { num_clients: present.length, num_users: new Set(present.map(({ user }) => user)).size })
}

interface HistoryRequest {
  /** 0: only the position. */
  readonly limit: number
  readonly since: { readonly epoch: string; readonly offset: number } | undefined
  readonly reverse: boolean
}

export const historyRequest = (
  { limit = 0, since, reverse = false }: ParametersOf<"history">,
  limitMax: number,
): HistoryRequest | ProtocolError => {
  const bounded = limit < 0 ? limitMax : Math.min(limit, limitMax)
  if (since === undefined) return { limit: bounded, since, reverse }
  const { epoch = "", offset = 0 } = since
  if (reverse && offset === 0) return ERRORS.badRequest
  return { limit: bounded, since: { epoch, offset }, reverse }
}

/** The offsets (`after`, `upTo`] that a page covers; a source with storage is asked for these. */
const rangeOf = ({ limit, since, reverse }: HistoryRequest, top: number, size: number) => {
  if (reverse) {
    const upTo = since === undefined ? top : Math.min(top, since.offset - 1)
    return { after: Math.max(0, upTo - limit), upTo }
  }
  const after = since === undefined ? Math.max(0, top - size) : since.offset
  return { after, upTo: Math.min(top, after + limit) }
}

const answerHistory = (
  connection: Client,
  command: CommandOf<"history">,
  credentials: Credentials,
  context: ConnectionContext,
): void => {
  const granted = allowed(connection, command, credentials, context)
  if (granted === undefined) return
  const { served } = granted
  const { historySize, recoveryMax } = served.settings
  if (historySize === 0) return connection.refuse(command, ERRORS.notAvailable)
  const request = historyRequest(command.parameters, recoveryMax)
  if ("code" in request) return connection.refuse(command, request)
  if (served.source.present !== undefined) return historyElsewhere(connection, command, granted, request, context)
  historyOf(connection, command, granted, request, context)
}

/** The stream is opened for it, if it is not open: only then is it known where it stands. */
const historyElsewhere = (
  connection: Client,
  command: CommandOf<"history">,
  granted: Granted,
  request: HistoryRequest,
  context: ConnectionContext,
): void => {
  if (!connection.begins()) return connection.refuse(command, ERRORS.tooManyRequests)
  const stream = context.hub.open(granted.served)
  stream.holds++
  whenPresent(context.hub, stream, false, (isPresent) => {
    stream.holds--
    connection.ended()
    if (connection.isOpen) {
      if (isPresent) connection.attempt(() => historyOf(connection, command, granted, request, context))
      else connection.refuse(command, ERRORS.internal)
    }
    context.hub.release(stream)
  })
}

const historyOf = (
  connection: Client,
  command: CommandOf<"history">,
  { served }: Granted,
  request: HistoryRequest,
  context: ConnectionContext,
): void => {
  const { historySize } = served.settings
  const stream = context.hub.find(served.canonical)
  const { offset, ...at } = stream === undefined ? served.source.position(served.canonical) : stream.at
  // A channel without subscribers has none. No stream will ever have this epoch: what is published until the first subscriber is not recovered.
  const epoch = at.epoch === "" ? randomUUID() : at.epoch
  const { since, limit, reverse } = request
  if (since !== undefined && since.epoch !== "" && since.epoch !== epoch)
    return connection.refuse(command, ERRORS.unrecoverablePosition)
  const answer = (publications: ReadonlyArray<Remembered>): void =>
    connection.reply(command, {
      publications: publications.map((each) => bodyOf(each, served.settings.publish)),
      epoch,
      offset,
    })
  const range = rangeOf(request, offset, historySize)
  if (served.source.replay === undefined || range.upTo <= range.after)
    return answer(stream?.page(limit, since?.offset, reverse) ?? [])
  if (!connection.begins()) return connection.refuse(command, ERRORS.tooManyRequests)
  served.source.replay(served.canonical, range.after, range.upTo, (rows) => {
    connection.ended()
    const present = connection.judged()
    // Who asks may have gone over to less than that meanwhile.
    if (present === undefined || allowed(connection, command, present, context) === undefined) return
    // Of a channel without storage its owner may remember less, and what is remembered here is all that there is.
    if (rows === null && served.source.present !== undefined)
      return answer(context.hub.find(served.canonical)?.page(limit, since?.offset, reverse) ?? [])
    if (rows === null) return connection.refuse(command, ERRORS.internal)
    answer(reverse ? [...rows].reverse() : rows)
  })
}

type Remembered = Pick<EncodedPublication, "offset" | "json" | "bytes" | "tags" | "info">

const bodyOf = ({ offset, json, bytes, tags, info }: Remembered, showsTags: boolean): PublicationBody => ({
  data: bytes ?? json,
  offset,
  ...(info === undefined ? undefined : { info }),
  ...(tags === undefined || !showsTags ? undefined : { tags }),
})
