/**
 * Venues whose private channels are acknowledged one by one: the real session on unmodified ccxt, against a socket that answers in the
 * venue's words. Up is what the venue says of the last of them; a refusal of one is never up.
 */
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import { type Asked, scripted } from "../../../kit/worlds/scripted-session.ts"

const PATIENCE = { timeout: 8000, interval: 10 }

type Frame = Readonly<Record<string, unknown>>

interface Spoken {
  readonly venue: string
  readonly market: string
  /** By REST. */
  readonly answer?: (asked: Asked) => unknown
  /** What a subscription is to, in the order in which the venue is asked; null: the frame is none. */
  readonly channelOf: (frame: Frame) => string | null
  readonly channels: ReadonlyArray<string>
  readonly takes: (frame: Frame) => unknown
  readonly refuses: (frame: Frame) => unknown
  /** A message of the last channel that is no acknowledgement. */
  readonly other: unknown
}

const kucoin = (asked: Asked) => {
  if (asked.url.includes("bullet-private")) {
    const instanceServers = [{ endpoint: "wss://ws-api-spot.kucoin.com/", pingInterval: 18_000 }]
    return { code: "200000", data: { token: "a-token", instanceServers } }
  }
  return { code: "200000", data: [] }
}

const SPOKEN: Readonly<Record<string, Spoken>> = {
  KUCOIN: {
    venue: "KUCOIN",
    market: "BTC-USDT",
    answer: kucoin,
    channelOf: ({ type, topic }) => (type === "subscribe" ? String(topic) : null),
    channels: ["/spotMarket/tradeOrdersV2", "/account/balance"],
    takes: ({ id }) => ({ id, type: "ack" }),
    refuses: ({ id }) => ({ id, type: "error", code: 404, data: "topic /account/balance is not found" }),
    other: { id: "a-connection", type: "welcome" },
  },
  COINBASE: {
    venue: "COINBASE",
    market: "BTC-USDT",
    channelOf: ({ type, channel }) => (type === "subscribe" ? String(channel) : null),
    channels: ["user", "heartbeats"],
    takes: ({ channel }) => ({
      channel: "subscriptions",
      events: [
        { subscriptions: { user: ["a-user"], ...(channel === "heartbeats" && { heartbeats: ["heartbeats"] }) } },
      ],
    }),
    refuses: () => ({ type: "error", message: "authentication failure" }),
    other: { channel: "heartbeats", events: [{ current_time: "2023-06-23 20:31:56", heartbeat_counter: "3049" }] },
  },
  GATE: {
    venue: "GATE",
    market: "BTC_USDT",
    channelOf: ({ event, channel }) => (event === "subscribe" ? String(channel) : null),
    channels: ["spot.orders", "spot.usertrades", "spot.balances"],
    takes: ({ id, channel }) => ({
      ...{ time: 1, id, channel, event: "subscribe" },
      ...{ error: null, result: { status: "success" } },
    }),
    refuses: ({ id, channel }) => ({
      ...{ time: 1, id, channel, event: "subscribe" },
      ...{ error: { code: 2, message: "unknown channel" }, result: { status: "fail" } },
    }),
    other: { time: 1, channel: "spot.balances", event: "update", result: [] },
  },
}

const open: Array<() => Promise<unknown> | undefined> = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** The venue, and a session there. */
const meeting = async (
  spoken: Spoken,
  hears: (far: WebSocket, frame: Frame, channel: string) => void,
  dialled: () => void = () => undefined,
) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  server.on("connection", (far: WebSocket) => {
    dialled()
    far.on("message", (data) => {
      const frame = JSON.parse(String(data)) as Frame
      const channel = spoken.channelOf(frame)
      if (channel !== null) hears(far, frame, channel)
    })
  })
  await new Promise((resolve) => server.once("listening", resolve))
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const hosts = PROFILES.find(({ venue }) => venue === spoken.venue)?.hosts ?? []
  const routes = Object.fromEntries(hosts.map((host) => [host, to]))
  const { venue, market, answer = () => ({}) } = spoken
  const world = await scripted(venue, market, answer, {}, false, routes)
  open.push(
    () => world.session.stop(),
    () => {
      for (const client of server.clients) client.terminate()
      return new Promise((resolve) => server.close(resolve))
    },
  )
  return world
}

const say = (far: WebSocket, frame: unknown): void => far.send(JSON.stringify(frame))

describe.each(Object.entries(SPOKEN))("a stream at %s", (_, spoken) => {
  it("is up once the last of its channels was acknowledged, and not before", async () => {
    const asked: Array<string> = []
    const last = spoken.channels.at(-1)
    let acknowledge: (() => void) | undefined
    const { reports } = await meeting(spoken, (far, frame, channel) => {
      asked.push(channel)
      if (channel !== last) return say(far, spoken.takes(frame))
      say(far, spoken.other)
      acknowledge = () => say(far, spoken.takes(frame))
    })
    await vi.waitFor(() => expect(new Set(asked)).toEqual(new Set(spoken.channels)), PATIENCE)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(reports.map(({ _tag }) => _tag)).not.toContain("StreamUp")
    acknowledge?.()
    await vi.waitFor(() => expect(reports.map(({ _tag }) => _tag)).toContain("StreamUp"), PATIENCE)
    expect(reports.map(({ _tag }) => _tag)).not.toContain("StreamDown")
    expect(asked.length).toBe(spoken.channels.length)
  })

  it("is never up where one of them is refused, and logs in anew", async () => {
    let dials = 0
    const last = spoken.channels.at(-1)
    const { reports } = await meeting(
      spoken,
      (far, frame, channel) => say(far, channel === last ? spoken.refuses(frame) : spoken.takes(frame)),
      () => {
        dials += 1
      },
    )
    await vi.waitFor(() => expect(dials).toBeGreaterThan(2), PATIENCE)
    expect(reports.map(({ _tag }) => _tag).filter((it) => it !== "BalancesSeen")).toEqual(["StreamDown"])
  })
})
