/**
 * When sockets are dialled, for all instances of a connector: never above the venue's documented rate for one address, and not at all during a
 * pause it requested. A public socket that does not last is redialled with a backoff of up to half a minute; ccxt's own backoff resets as soon as
 * two dials are a quarter of a minute apart. A private stream makes its pauses itself. A handshake refused with 403 concerns the account that
 * made it; a ban of the address holds every dial.
 */

import type { VenueProfile } from "../../adapters/profile.ts"
import { type StopReader, stopOf } from "../../adapters/stops.ts"
import { pause, redialMillis } from "../waits.ts"
import type { CcxtExchange, CcxtSocket } from "./ccxt.ts"

/** A connection that lived for so long was a good one. */
export const STABLE_MILLIS = 5000
/** After a dial that was answered by a refusal for the sake of too many, where the venue names no time. */
const REFUSED_MILLIS = 60_000
const REFUSAL = /Unexpected server response: (403|418|429)\b/
const NO_HEADERS: ReadonlyMap<string, string> = new Map()

/** One URL of an instance: how its dials went. */
interface Lane {
  /** The newest one: what is said of those before, which may end later, is not about its dial. */
  socket: CcxtSocket | null
  /** In a row, that did not last. */
  failures: number
  /** `null`: the newest dial was not answered. */
  openedAt: number | null
  endedAt: number | null
}

export class Dials {
  readonly #connects: VenueProfile["connects"]
  readonly #monotonic: () => number
  readonly #stops: StopReader | undefined
  /** When the newest ones were made, as many as the window has room for. */
  #made: Array<number> = []
  #share = 1
  #pausedUntil = 0
  #queue: Promise<unknown> = Promise.resolve()

  /** `stops`: what the venue's refusals mean beside the usual. */
  constructor(
    { connects }: Pick<VenueProfile, "connects">,
    stops?: StopReader,
    monotonic: () => number = () => performance.now(),
  ) {
    this.#connects = connects
    this.#stops = stops
    this.#monotonic = monotonic
  }

  /** So many connectors use the venue from this address. */
  share(of: number): void {
    this.#share = of
  }

  /** Nothing is dialled for so long. */
  pause(millis: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#monotonic() + millis)
  }

  /** Changes the instance in place, before its first socket; `paces`, of the public one: its dials are spaced here when they do not last. */
  install(exchange: CcxtExchange, paces: boolean): void {
    /** Of this instance alone. */
    let refusedUntil = 0
    const lanes = new Map<string, Lane>()
    const laneOf = ({ url }: CcxtSocket): Lane => {
      const known = lanes.get(url)
      if (known !== undefined) return known
      const lane = { socket: null, failures: 0, openedAt: null, endedAt: null }
      lanes.set(url, lane)
      return lane
    }
    const dialled = new WeakSet<CcxtSocket>()
    const client = exchange.client.bind(exchange)
    exchange.client = (url) => {
      const socket = client(url)
      if (dialled.has(socket)) return socket
      dialled.add(socket)
      const create = socket.createConnection.bind(socket)
      socket.createConnection = () => {
        const isWanted = (): boolean => exchange.clients[url] === socket
        const wait = paces ? this.#waitOf(laneOf(socket), socket) : refusedUntil - this.#monotonic()
        void this.#turn(wait, isWanted).then((isTurn) => {
          if (isTurn) create()
        })
      }
      return socket
    }
    // Ours is made above, where a socket that was given up meanwhile is not dialled any more.
    exchange.calculateWsBackoffDelay = () => 0
    const ended = (socket: CcxtSocket): void => {
      const lane = laneOf(socket)
      if (paces && lane.socket === socket) lane.endedAt ??= this.#monotonic()
    }
    const { onConnected, onError, onClose } = exchange
    exchange.onConnected = (socket, message) => {
      if (paces) laneOf(socket).openedAt = this.#monotonic()
      return onConnected.call(exchange, socket, message)
    }
    exchange.onError = (socket, error) => {
      ended(socket)
      const refusal = REFUSAL.exec(error.message)?.[1]
      if (refusal !== undefined) {
        const { isOfAddress, millis } = this.#refused(Number(refusal), !paces)
        if (isOfAddress) this.pause(millis)
        else refusedUntil = this.#monotonic() + millis
      }
      return onError.call(exchange, socket, error)
    }
    exchange.onClose = (socket, event) => {
      ended(socket)
      return onClose.call(exchange, socket, event)
    }
  }

  /** 418 and 429 are of the address at every venue, 403 of an account's handshake where the venue bans with it (BYBIT). */
  #refused(status: number, ofAccount: boolean): { readonly isOfAddress: boolean; readonly millis: number } {
    const stop = stopOf({ status, headers: NO_HEADERS, body: "", ofAccount }, this.#stops)
    const isOfAddress = status !== 403 || !ofAccount || stop?.scope === "BAN"
    return { isOfAddress, millis: stop?.millis ?? REFUSED_MILLIS }
  }

  /** Before the next dial of a lane, by how those before went. */
  #waitOf(lane: Lane, socket: CcxtSocket): number {
    const { openedAt, endedAt } = lane
    const lasted = openedAt !== null && (endedAt ?? this.#monotonic()) - openedAt >= STABLE_MILLIS
    const wait = lasted || lane.failures === 0 ? 0 : redialMillis(lane.failures)
    lane.failures = lasted ? 1 : lane.failures + 1
    lane.openedAt = lane.endedAt = null
    lane.socket = socket
    return wait
  }

  /** Resolves when it may be dialled; false: it is no longer needed. */
  async #turn(wait: number, isWanted: () => boolean): Promise<boolean> {
    if (wait > 0) await pause(wait)
    const turn = this.#queue.then(() => this.#room(isWanted))
    this.#queue = turn
    return turn
  }

  async #room(isWanted: () => boolean): Promise<boolean> {
    for (;;) {
      if (!isWanted()) return false
      const now = this.#monotonic()
      const { most, withinMillis } = this.#connects
      const room = Math.max(1, Math.floor(most / this.#share))
      this.#made = this.#made.slice(-room)
      const oldest = this.#made.length < room ? undefined : this.#made[0]
      const freeAt = Math.max(this.#pausedUntil, oldest === undefined ? 0 : oldest + withinMillis)
      if (freeAt <= now) {
        this.#made.push(now)
        return true
      }
      await pause(Math.ceil(freeAt - now))
    }
  }
}
