/** A subscribe to a stream: the client's initial data, read from storage when memory does not reach back, and then the topic. */
import type { Credentials, Granted } from "../channels/authority.ts"
import type { Hub } from "../fanout/hub.ts"
import { arrive, clientInfo } from "../fanout/presence.ts"
import { type Beginning, begin, beginAny, present, type RecoveryRequest } from "../fanout/recovery.ts"
import type { Stream } from "../fanout/stream.ts"
import type { Variant } from "../fanout/topic.ts"
import { ERRORS } from "../protocol/error-codes.ts"
import type { Codec, CommandOf, SubscribeResult } from "../protocol/protocol.ts"
import type { Client } from "./client.ts"
import type { Pace } from "./pace.ts"
import { type SubscribeHost, variantOf } from "./subscribe-request.ts"
import type { WaitingCommands } from "./waiting-commands.ts"

/** Of a subscribe's `flag`: an unrecoverable position is an error. */
const REJECT_UNRECOVERED = 2

type Subscribe = CommandOf<"subscribe">

/** A subscription that is made: `enter`, after `result` is sent, lets publications in. */
export interface Entered {
  readonly result: SubscribeResult
  readonly enter: () => void
}

/** Who subscribes to what, and how. */
interface Asked {
  readonly channel: string
  readonly stream: Stream
  readonly variant: Variant
  readonly granted: Granted
  readonly credentials: Credentials
  readonly request: RecoveryRequest
}

export class StreamSubscribing {
  constructor(
    private readonly host: SubscribeHost,
    private readonly connection: Client,
    private readonly waiting: WaitingCommands,
    private readonly hub: Hub,
    private readonly pace: Pace,
    private readonly codec: Codec,
  ) {}

  /** `until`, in monotonic ms: what is asked of storage or of another process for it. */
  subscribe(command: Subscribe, granted: Granted, credentials: Credentials, until: number): void {
    const { hub } = this
    const { channel = "", delta, recover = false, epoch = "", offset = 0 } = command.parameters
    const variant = variantOf(command, granted.served, this.codec, delta === "fossil")
    if (variant === undefined) return this.connection.refuse(command, ERRORS.badRequest)
    const request = { recover, epoch, offset }
    const stream = hub.open(granted.served)
    if (!stream.hasRoomFor(channel, variant)) {
      hub.release(stream)
      return this.connection.refuse(command, ERRORS.limitExceeded)
    }
    const asked: Asked = { channel, stream, variant, granted, credentials, request }
    let begun: { readonly beginning: Beginning | undefined } | undefined
    let later: ((beginning: Beginning | undefined) => void) | undefined
    let isHeld = false
    const guarded = (work: () => void): void => {
      let isDone = false
      this.connection.attempt(() => {
        work()
        isDone = true
      })
      if (isDone || !isHeld) return
      isHeld = false
      stream.holds--
      hub.release(stream)
    }
    beginAny(hub, stream, request, { guarded, inTurn: this.pace.inTurn }, until, (beginning) => {
      begun = { beginning }
      if (later === undefined) return
      isHeld = false
      stream.holds--
      later(beginning)
      // If the connection closed meanwhile, the stream must be released here.
      hub.release(stream)
    })
    if (!this.connection.isOpen) return hub.release(stream)
    if (begun !== undefined) return this.answer(command, asked, begun.beginning)
    stream.holds++
    isHeld = true
    this.waiting.wait<Beginning | undefined>(
      channel,
      (done) => {
        later = (beginning) => this.connection.attempt(() => done(beginning))
      },
      (beginning) => {
        const present = this.connection.judged()
        if (present === undefined) return
        const lapse = this.host.lapsed(command, present)
        if (lapse === undefined) this.answer(command, { ...asked, credentials: present }, beginning)
        else this.connection.refuse(command, lapse)
      },
    )
  }

  /** Without a command, and without waiting for storage: the client reads what it missed over HTTP. */
  enter(channel: string, granted: Granted, credentials: Credentials, request: RecoveryRequest): Entered {
    const { hub } = this
    const stream = hub.open(granted.served)
    const beginning = begin(stream, hub.position(stream), request)
    const variant: Variant = { codec: this.codec, delta: false, filter: undefined, compact: undefined }
    const known = beginning === "replay" ? present(stream, hub.position(stream)) : beginning
    return this.join({ channel, stream, variant, granted, credentials, request }, known)
  }

  private answer(command: Subscribe, asked: Asked, beginning: Beginning | undefined): void {
    if (beginning === undefined) {
      // The owner of the channel could not be asked: worth another try by the client.
      this.connection.refuse(command, ERRORS.internal)
      return this.hub.release(asked.stream)
    }
    const rejects = ((command.parameters.flag ?? 0) & REJECT_UNRECOVERED) !== 0
    if (asked.request.recover && !beginning.recovered && rejects) {
      this.connection.refuse(command, ERRORS.unrecoverablePosition)
      return this.hub.release(asked.stream)
    }
    const { result, enter } = this.join(asked, beginning)
    this.connection.reply(command, result)
    if (this.connection.isOpen) enter()
  }

  /** Position, reply and topic belong to one turn: no publication can come between them. `enter` follows the reply. */
  private join({ channel, stream, variant, granted, credentials, request }: Asked, beginning: Beginning): Entered {
    const { host, hub, connection } = this
    const { topic, facts } = host.admit(stream, channel, variant, granted)
    const chosen = beginning.publications.filter((publication) => topic.wants(publication))
    const publications = beginning.isSnapshot
      ? chosen.map((publication) => ({ data: topic.fullBody(publication).data }))
      : topic.recovered(chosen)
    if (request.recover) hub.meters.recovered(beginning.recovered)
    const isStream = stream.served.settings.recovery !== "none"
    const result: SubscribeResult = {
      ...facts,
      ...(isStream
        ? { recoverable: true, positioned: true, epoch: stream.at.epoch, offset: beginning.offset }
        : undefined),
      was_recovering: request.recover,
      recovered: beginning.recovered,
      publications,
      delta: variant.delta,
    }
    const enter = (): void => {
      if (topic.mayJoin(chosen.at(-1))) host.joinTopic(topic.key)
      else topic.welcome(host)
      arrive(hub, stream, clientInfo(connection.client, credentials, granted))
    }
    return { result, enter }
  }
}
