/**
 * Two readers of one stream that come back whenever their connection is lost: the official client, and a bare socket that keeps to the
 * protocol. What they are given is told to a judge, publication by publication.
 */
import { Centrifuge, type PublicationContext } from "centrifuge"
import { Centrifuge as CentrifugeProtobuf } from "centrifuge/build/protobuf"
import { WebSocket } from "ws"
import { rawProtobuf, sentJson, sentProtobuf } from "./client-codecs.ts"
import { deltaReader } from "./client-deltas.ts"
import type { Format } from "./raw-socket.ts"

export interface ReaderJudge {
  readonly take: (offset: number, value: unknown) => void
  readonly subscribed: (wasRecovering: boolean, recovered: boolean) => void
  /** It does not come back from this. */
  readonly ended: (why: string) => void
}

export interface ReaderOptions {
  readonly url: string
  readonly channel: string
  readonly format: Format
  readonly delta: boolean
}

const parsed = (data: unknown): unknown =>
  data instanceof Uint8Array ? JSON.parse(Buffer.from(data).toString("utf8")) : data

const QUICKLY = { minReconnectDelay: 1, maxReconnectDelay: 10 }

/** Answers what stops it. */
export const officialReader = ({ url, channel, format, delta }: ReaderOptions, judge: ReaderJudge): (() => void) => {
  const Client = format === "json" ? Centrifuge : CentrifugeProtobuf
  // A busy machine is no reason to give a connection up.
  const client = new Client(url, { token: "alice", websocket: WebSocket, timeout: 30_000, ...QUICKLY })
  const subscription = client.newSubscription(channel, {
    minResubscribeDelay: 1,
    maxResubscribeDelay: 10,
    ...(delta ? { delta: "fossil" } : undefined),
  })
  let isStopped = false
  subscription.on("publication", ({ offset = 0, data }: PublicationContext) => judge.take(offset, parsed(data)))
  subscription.on("subscribed", ({ wasRecovering, recovered }) => judge.subscribed(wasRecovering, recovered))
  subscription.on("unsubscribed", ({ code, reason }) => isStopped || judge.ended(`unsubscribed ${code} ${reason}`))
  client.on("disconnected", ({ code, reason }) => isStopped || judge.ended(`disconnected ${code} ${reason}`))
  subscription.subscribe()
  client.connect()
  return () => {
    isStopped = true
    client.disconnect()
  }
}

interface WirePublication {
  readonly data: never
  readonly offset?: number | { readonly toNumber: () => number }
  readonly delta?: boolean
}
interface WireReply {
  readonly id?: number
  readonly error?: { readonly code: number }
  readonly connect?: object
  readonly subscribe?: {
    readonly epoch: string
    readonly offset?: WirePublication["offset"]
    readonly was_recovering?: boolean
    readonly recovered?: boolean
    readonly publications?: ReadonlyArray<WirePublication>
  }
  readonly push?: {
    readonly pub?: WirePublication
    readonly unsubscribe?: { readonly code: number }
  }
}

const isPlain = (value: unknown): value is number => typeof value === "number"
const numberOf = (value: WirePublication["offset"]): number =>
  value === undefined || value === null ? 0 : isPlain(value) ? value : value.toNumber()

/** Connects and subscribes in one message, with the position that it has. Answers what stops it. */
export const bareReader = ({ url, channel, format, delta }: ReaderOptions, judge: ReaderJudge): (() => void) => {
  let position: { epoch: string; offset: number } | undefined
  let isStopped = false
  let socket: WebSocket | undefined
  const subscribeCommand = (id: number) => ({
    id,
    subscribe: {
      channel,
      ...(delta ? { delta: "fossil" } : undefined),
      ...(position === undefined ? undefined : { recover: true, ...position }),
    },
  })
  const encode = format === "json" ? sentJson : sentProtobuf

  const connect = (): void => {
    if (isStopped) return
    const own = new WebSocket(url, format === "json" ? [] : ["centrifuge-protobuf"])
    socket = own
    const send = (...commands: ReadonlyArray<object>): void =>
      own.send(Buffer.from(encode(commands as never)), { binary: format === "protobuf" })
    let read: (publication: WirePublication) => unknown = () => undefined
    const begin = (): void => {
      const fromDelta = deltaReader(format)
      read = delta ? fromDelta : ({ data }) => parsed(data)
    }
    const take = (publication: WirePublication): void => {
      const offset = numberOf(publication.offset)
      judge.take(offset, read(publication))
      if (position !== undefined) position = { ...position, offset }
    }
    const reply = ({ error, subscribe, push, connect: welcome }: WireReply): void => {
      if (error) return judge.ended(`error ${error.code}`)
      if (subscribe) {
        begin()
        judge.subscribed(subscribe.was_recovering === true, subscribe.recovered === true)
        position = { epoch: subscribe.epoch, offset: numberOf(subscribe.offset) }
        for (const publication of subscribe.publications ?? []) take(publication)
      } else if (push?.pub) take(push.pub)
      else if (push?.unsubscribe) {
        if (push.unsubscribe.code < 2500) judge.ended(`unsubscribed ${push.unsubscribe.code}`)
        else send(subscribeCommand(3))
      } else if (!push && !welcome) send({})
    }
    own.on("open", () => send({ id: 1, connect: { token: "alice" } }, subscribeCommand(2)))
    own.on("message", (message: Buffer) => {
      // What is still under way of a connection that was given up does not count.
      if (own !== socket) return
      const replies =
        format === "json"
          ? message
              .toString()
              .split("\n")
              .map((line) => JSON.parse(line))
          : rawProtobuf(message)
      for (const each of replies) reply(each as WireReply)
    })
    own.on("error", () => own.terminate())
    own.on("close", (code) => {
      if (code >= 3500 && code < 4000) return judge.ended(`closed ${code}`)
      setTimeout(connect, 1 + Math.floor(Math.random() * 10))
    })
  }
  connect()
  return () => {
    isStopped = true
    socket?.terminate()
  }
}
