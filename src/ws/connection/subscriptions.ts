/**
 * One connection's channels: subscribe, unsubscribe, and conflation for a slow reader. A subscribe that must wait (a venue's instruments are
 * being synced, a journal is read) delays commands for the same channel and nothing else.
 */
import type { Credentials, Granted, ServerSubscription, SubscriptionRequest } from "../channels/authority.ts"
import { depart } from "../fanout/presence.ts"
import { begin, PATIENCE_MILLIS, type RecoveryRequest } from "../fanout/recovery.ts"
import type { Stream } from "../fanout/stream.ts"
import type { Topic, Variant } from "../fanout/topic.ts"
import { MapSubscribing } from "../maps/subscribe.ts"
import { CLOSES, ERRORS, type ProtocolError, UNSUBSCRIBES, type Unsubscribe } from "../protocol/error-codes.ts"
import type { Codec, Command, CommandOf, Frame, SubscribeResult } from "../protocol/protocol.ts"
import { CHANNEL_BYTES_MAX, type Client, type ConnectionContext } from "./client.ts"
import { ExpiryWatch } from "./heartbeat.ts"
import { type Entered, StreamSubscribing } from "./stream-subscribe.ts"
import { requestOf, type SubscribeHost } from "./subscribe-request.ts"
import { WaitingCommands } from "./waiting-commands.ts"

type Subscribe = CommandOf<"subscribe">

export class Subscriptions implements SubscribeHost {
  /** Client's channel name → its topic. */
  private readonly joined = new Map<string, Topic>()
  private readonly waiting: WaitingCommands
  /** Subscribed by the server, not by a command. */
  private readonly serverSide = new Set<string>()
  /** Channels that end unless they are refreshed → seconds since the Unix epoch. */
  private readonly expiring = new Map<string, number>()
  /** Channels that the socket does not get until it has read what waits for it. */
  private readonly parked = new Set<string>()
  private readonly streams: StreamSubscribing
  private readonly maps: MapSubscribing
  private readonly expiryWatch: ExpiryWatch

  constructor(
    private readonly connection: Client,
    private readonly context: ConnectionContext,
    private readonly codec: Codec,
    private readonly client: string,
  ) {
    this.waiting = new WaitingCommands(connection)
    this.streams = new StreamSubscribing(this, connection, this.waiting, context.hub, context.pace, codec)
    this.maps = new MapSubscribing(this, connection, this.waiting, context.hub, codec)
    this.expiryWatch = new ExpiryWatch(
      (seconds) => context.heartbeat.in(seconds, connection, "subscriptionsDue"),
      () => context.now() / 1000,
    )
  }

  sendFrame(frame: Frame): void {
    this.connection.send(frame)
  }
  joinTopic(key: string): void {
    this.connection.socket.subscribe(key)
  }

  /** Keeps a command for later while its channel's subscribe waits. */
  defers(command: Command): boolean {
    return this.waiting.defers(command)
  }

  /** `until`, in monotonic ms, is of the access and all that follows it together: the client that subscribes waits no longer. */
  subscribe(command: Subscribe, learnt = false, until = this.context.hub.monotonic() + PATIENCE_MILLIS): void {
    const { connection } = this
    const credentials = connection.judged()
    if (credentials === undefined) return
    const request = requestOf(command, this.client)
    const { channel } = request
    const { delta = "" } = command.parameters
    if (channel === "" || (delta !== "" && delta !== "fossil")) return connection.close(CLOSES.badRequest)
    if (Buffer.byteLength(channel) > CHANNEL_BYTES_MAX) return connection.refuse(command, ERRORS.badRequest)
    if (this.joined.has(channel)) return connection.refuse(command, ERRORS.alreadySubscribed)
    if (this.joined.size + this.waiting.size + this.maps.besides(channel) >= this.context.channelsMax)
      return connection.refuse(command, ERRORS.limitExceeded)
    const access = this.context.authority.access(credentials, request)
    switch (access._tag) {
      case "Denied":
        return connection.refuse(command, access.error)
      case "Closed":
        return connection.close(access.close)
      case "Later":
        if (learnt)
          return connection.refuse(command, access.isElsewhere === true ? ERRORS.internal : ERRORS.unknownChannel)
        return this.waiting.wait(channel, access.learn, (known) => {
          // The venue could not be asked: worth another try by the client.
          if (known) this.subscribe(command, true, until)
          else connection.refuse(command, ERRORS.internal)
        })
      case "Granted":
        if (access.served.map !== undefined) return this.maps.subscribe(command, access, credentials)
        return this.streams.subscribe(command, access, credentials, until)
    }
  }

  lapsed(command: Subscribe, credentials: Credentials): ProtocolError | undefined {
    const access = this.context.authority.access(credentials, requestOf(command, this.client))
    if (access._tag === "Granted") return undefined
    if (access._tag === "Later" && access.isElsewhere === true) return ERRORS.internal
    return access._tag === "Denied" ? access.error : ERRORS.permissionDenied
  }

  /** Subscribes without a command, as part of connect or by the server's will; undefined when it may not be. */
  subscribeServerSide(
    { channel, info, data, expiresAt }: ServerSubscription,
    credentials: Credentials,
    request: RecoveryRequest,
  ): Entered | undefined {
    if (this.joined.has(channel)) return undefined
    const asked: SubscriptionRequest = { channel, type: 0, token: "", client: this.client, purpose: "server" }
    const access = this.context.authority.access(credentials, asked)
    if (access._tag !== "Granted") return undefined
    const granted: Granted = { ...access, info: info ?? access.info, data, expiresAt }
    this.serverSide.add(channel)
    return this.streams.enter(channel, granted, credentials, request)
  }

  /** Always answered with success: the client drops the whole connection otherwise. */
  unsubscribe(command: CommandOf<"unsubscribe">): void {
    const { channel = "" } = command.parameters
    if (channel === "") return this.connection.close(CLOSES.badRequest)
    this.forget(channel)
    this.maps.forget(channel)
    this.connection.reply(command, {})
  }

  refresh(command: CommandOf<"sub_refresh">, credentials: Credentials): void {
    const request = requestOf(command, this.client)
    if (request.channel === "") return this.connection.close(CLOSES.badRequest)
    if (!this.joined.has(request.channel)) return this.connection.refuse(command, ERRORS.permissionDenied)
    const renewed = this.context.authority.refreshSubscription(credentials, request)
    if ("_tag" in renewed) {
      if (renewed._tag === "Closed") return this.connection.close(renewed.close)
      return this.connection.refuse(command, renewed.error)
    }
    this.expire(request.channel, renewed.expiresAt)
    this.connection.reply(command, this.expiry(renewed.expiresAt))
  }

  /** Ends the subscription that is called `channel` here, if it is to the canonical one. */
  end(channel: string, canonical: string, how: Unsubscribe): void {
    if (this.joined.get(channel)?.canonical === canonical) this.endChannel(channel, how)
  }

  /** Ends one subscription, told by a push; the connection itself when the server had made it and lost its place. */
  endChannel(channel: string, how: Unsubscribe): void {
    if (!this.joined.has(channel)) return
    if (this.serverSide.has(channel) && how === UNSUBSCRIBES.insufficientState)
      return this.connection.close(CLOSES.insufficientState)
    // The push first: leaving a topic drops what was published to it in the same turn.
    this.connection.send(this.codec.push(channel, { kind: "unsubscribe", body: how }))
    this.forget(channel)
  }

  /** Ends those that these credentials would not be granted now. */
  review(credentials: Credentials): void {
    for (const [channel, { canonical }] of [...this.joined]) {
      const type = this.context.hub.find(canonical)?.served.map === undefined ? 0 : 1
      this.judge(credentials, { channel, type, token: "", client: this.client, purpose: "query" }, false)
    }
  }

  private judge(credentials: Credentials, asked: SubscriptionRequest, learnt: boolean): void {
    const access = this.context.authority.access(credentials, asked)
    if (access._tag === "Denied") this.endChannel(asked.channel, UNSUBSCRIBES.permissionLost)
    else if (access._tag === "Later" && access.isElsewhere === true && !learnt)
      access.learn((known) => {
        if (known) this.connection.attempt(() => this.judge(credentials, asked, true))
        // Who could not be asked may have said no: the client asks again.
        else if (this.connection.isOpen) this.endChannel(asked.channel, UNSUBSCRIBES.insufficientState)
      })
  }

  /** Looks at subscriptions that were not refreshed in time. */
  expiryDue(): void {
    if (!this.expiryWatch.begins()) return
    for (const [channel, expiresAt] of this.expiring)
      if (this.expiryWatch.isOver(expiresAt)) this.endChannel(channel, UNSUBSCRIBES.expired)
      else this.expiryWatch.watch(expiresAt)
  }

  /** Spares a socket that does not keep up every channel whose present state can be given later; whether there was any. */
  park(): boolean {
    for (const [channel, topic] of this.joined) {
      if (this.parked.has(channel)) continue
      if (this.context.hub.find(topic.canonical)?.served.settings.behind !== "conflate") continue
      if (!topic.dismiss(this)) this.connection.socket.unsubscribe(topic.key)
      this.parked.add(channel)
    }
    return this.parked.size > 0
  }

  /**
   * The socket has read what waited: it gets the present state of what it was spared, and then every publication again. What is left
   * when more than `bytesMax` waits again comes the next time: many books at once would pass the limit at which it is closed.
   */
  resume(bytesMax: number): void {
    const { hub } = this.context
    for (const channel of [...this.parked]) {
      if (!this.connection.isOpen || this.connection.socket.getBufferedAmount() > bytesMax) return
      const topic = this.joined.get(channel)
      const stream = topic === undefined ? undefined : hub.find(topic.canonical)
      this.parked.delete(channel)
      if (topic === undefined || stream === undefined) continue
      const { map, source, settings } = stream.served
      if (map !== undefined || (source.present !== undefined && settings.recovery !== "cache")) {
        // The reader knows best what it has: it comes back with its position and gets what has changed since.
        this.endChannel(channel, UNSUBSCRIBES.insufficientState)
        continue
      }
      const position = hub.position(stream)
      // It may have told all subscribers to start over.
      if (this.joined.get(channel) !== topic) continue
      hub.flushTopic(topic)
      const state = begin(stream, position, { recover: false, epoch: "", offset: 0 })
      const publications = state === "replay" ? [] : state.publications.filter((each) => topic.wants(each))
      for (const publication of publications) this.connection.send(topic.full(publication))
      if (topic.mayJoin(publications.at(-1))) this.joinTopic(topic.key)
      else topic.welcome(this)
    }
  }

  /** Commands that wait behind a subscribe. */
  get backlog(): number {
    return this.waiting.backlog
  }

  get isParked(): boolean {
    return this.parked.size > 0
  }

  /** As the client calls them. */
  get channels(): ReadonlyArray<string> {
    return [...this.joined.keys()]
  }

  get size(): number {
    return this.joined.size
  }

  has(channel: string): boolean {
    return this.joined.has(channel)
  }

  /** The socket is gone, and its topics with it. */
  gone(): void {
    for (const channel of [...this.joined.keys()]) this.forget(channel, false)
    this.waiting.clear()
  }

  admit(
    stream: Stream,
    channel: string,
    variant: Variant,
    { expiresAt, data }: Granted,
  ): { readonly topic: Topic; readonly facts: SubscribeResult } {
    const topic = this.context.hub.enter(stream, channel, variant)
    this.joined.set(channel, topic)
    this.expire(channel, expiresAt)
    return {
      topic,
      facts: { ...this.expiry(expiresAt), ...(data === undefined || data === null ? undefined : { data }) },
    }
  }

  private forget(channel: string, isOpen = true): void {
    const topic = this.joined.get(channel)
    if (topic === undefined) return
    const { hub } = this.context
    const stream = hub.find(topic.canonical)
    this.joined.delete(channel)
    this.serverSide.delete(channel)
    this.expiring.delete(channel)
    this.parked.delete(channel)
    if (isOpen) this.connection.socket.unsubscribe(topic.key)
    if (stream === undefined) return
    stream.served.map?.departed?.(this.client)
    hub.leave(stream, topic, this)
    depart(hub, stream, this.client)
  }

  private expire(channel: string, expiresAt: number | null): void {
    if (expiresAt === null) {
      this.expiring.delete(channel)
      return
    }
    this.expiring.set(channel, expiresAt)
    this.expiryWatch.watch(expiresAt)
  }

  private expiry(expiresAt: number | null): { readonly expires?: boolean; readonly ttl?: number } {
    if (expiresAt === null) return {}
    return { expires: true, ttl: Math.max(1, Math.floor(expiresAt - this.context.now() / 1000)) }
  }
}
