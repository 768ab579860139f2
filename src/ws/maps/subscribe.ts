/** A subscribe to a map (realtime A.14): waits until the map is read, answers page by page, and joins with the last reply. */
import type { Credentials, Granted } from "../channels/authority.ts"
import type { Client } from "../connection/client.ts"
import { type SubscribeHost, variantOf } from "../connection/subscribe-request.ts"
import type { WaitingCommands } from "../connection/waiting-commands.ts"
import type { Hub } from "../fanout/hub.ts"
import { clientInfo } from "../fanout/presence.ts"
import type { MapBehind, Stream } from "../fanout/stream.ts"
import type { EncodedPublication, Variant } from "../fanout/topic.ts"
import { ERRORS } from "../protocol/error-codes.ts"
import type { Codec, CommandOf, PublicationBody, SubscribeResult } from "../protocol/protocol.ts"
import { MapFlows, type MapView } from "./pages.ts"

const bodyOf =
  (showsTags: boolean, hasPositions: boolean) =>
  ({ json, bytes, offset, key, removed, tags, info }: EncodedPublication): PublicationBody => ({
    data: bytes ?? json,
    offset: hasPositions ? offset : 0,
    ...(info === undefined ? undefined : { info }),
    ...(showsTags && tags !== undefined ? { tags } : undefined),
    ...(key === undefined ? undefined : { key }),
    ...(removed === true ? { removed } : undefined),
  })

/** Without them a reader who comes back reads the whole map. */
const hasPositions = ({ served }: Stream): boolean => served.settings.recovery !== "none"

/** Who subscribes to what, and how. */
interface Asked {
  readonly granted: Granted
  readonly credentials: Credentials
  readonly variant: Variant
  readonly stream: Stream
  readonly map: MapBehind
}

export class MapSubscribing {
  private readonly flows: MapFlows

  constructor(
    private readonly host: SubscribeHost,
    private readonly connection: Client,
    private readonly waiting: WaitingCommands,
    private readonly hub: Hub,
    private readonly codec: Codec,
  ) {
    this.flows = new MapFlows(hub.monotonic)
  }

  /** Maps beside this one that the connection is on its way to. */
  besides(channel: string): number {
    return this.flows.besides(channel)
  }

  forget(channel: string): void {
    this.flows.forget(channel)
  }

  subscribe(command: CommandOf<"subscribe">, granted: Granted, credentials: Credentials): void {
    const { host, hub, connection } = this
    const { channel = "" } = command.parameters
    const variant = variantOf(command, granted.served, this.codec, false)
    if (variant === undefined) return connection.refuse(command, ERRORS.badRequest)
    const stream = hub.open(granted.served)
    const { map } = stream.served
    if (map === undefined) throw new Error(`${stream.served.canonical} is not a map`)
    if (!stream.hasRoomFor(channel, variant)) {
      hub.release(stream)
      return connection.refuse(command, ERRORS.limitExceeded)
    }
    if (map.isReady) return this.step(command, { granted, credentials, variant, stream, map })
    stream.holds++
    this.waiting.wait<boolean>(
      channel,
      (done) =>
        map.whenReady((isReady) => {
          stream.holds--
          done(isReady)
          // If the connection closed meanwhile, the map must be released here.
          hub.release(stream)
        }),
      (isReady) => {
        // From the start: it may not be allowed any more. A map that cannot be read is worth another try by the client.
        if (isReady) host.subscribe(command)
        else connection.refuse(command, ERRORS.internal)
      },
    )
  }

  private step(command: CommandOf<"subscribe">, asked: Asked): void {
    const { hub, connection } = this
    const { granted, variant, stream, map } = asked
    hub.position(stream)
    const { filter } = variant
    const view: MapView = {
      entries: map.entries,
      wants: ({ tags }) => filter === undefined || filter.matches(tags),
      body: bodyOf(filter !== undefined || granted.served.settings.publish, hasPositions(stream)),
      recoveryMax: stream.served.settings.recoveryMax,
    }
    const step = this.flows.step(command, view)
    switch (step._tag) {
      case "Live":
        return this.join(command, asked, step.result)
      case "Page":
        connection.reply(command, step.result)
        break
      case "Refused":
        connection.refuse(command, step.error)
        break
      case "Closed":
        connection.close(step.close)
    }
    hub.release(stream)
  }

  private join(
    command: CommandOf<"subscribe">,
    { granted, credentials, variant, stream, map }: Asked,
    { recoverable, epoch, offset, ...result }: SubscribeResult,
  ): void {
    const { channel = "" } = command.parameters
    const { topic, facts } = this.host.admit(stream, channel, variant, granted)
    const position = hasPositions(stream) ? { recoverable, epoch, offset } : undefined
    const debounce = map.debounceMillis === undefined ? undefined : { publish_debounce: map.debounceMillis }
    this.connection.reply(command, { ...facts, ...result, ...position, ...debounce })
    if (!this.connection.isOpen) return
    this.host.joinTopic(topic.key)
    map.arrived?.(clientInfo(this.connection.client, credentials, granted))
  }
}
