/** When a private stream is told to be up: the real session on unmodified ccxt against a socket that acknowledges, or does not. */
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import { scripted } from "../../../kit/worlds/scripted-session.ts"

const PATIENCE = { timeout: 8000, interval: 10 }

type Frame = Readonly<Record<string, unknown>>

const open: Array<() => Promise<unknown> | undefined> = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const serving = async (
  name: string,
  dialled: (far: WebSocket, url: string) => void,
  hears: (far: WebSocket, frame: Frame) => void = () => undefined,
) => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  server.on("connection", (far: WebSocket, { url }) => {
    dialled(far, String(url))
    far.on("message", (data) => hears(far, JSON.parse(String(data)) as Frame))
  })
  await new Promise((resolve) => server.once("listening", resolve))
  open.push(() => {
    for (const client of server.clients) client.terminate()
    return new Promise((resolve) => server.close(resolve))
  })
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.fromEntries((PROFILES.find((it) => it.venue === name)?.hosts ?? []).map((host) => [host, to]))
}

describe("a stream at BYBIT", () => {
  it("is up once the last of its channels was acknowledged, and not before", async () => {
    let last: (() => void) | undefined
    let dials = 0
    const routes = await serving(
      "BYBIT",
      () => (dials += 1),
      (far, { op, req_id, args }) => {
        const answer = (): void => far.send(JSON.stringify({ success: true, ret_msg: "", conn_id: "1", req_id, op }))
        if (op === "subscribe" && String(args).includes("wallet")) last = answer
        else answer()
      },
    )
    const { session, reports } = await scripted("BYBIT", "BTCUSDT", () => ({}), {}, false, routes)
    open.push(() => session.stop())
    await vi.waitFor(() => expect(last).toBeDefined(), PATIENCE)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(reports).toEqual([])
    last?.()
    await vi.waitFor(() => expect(reports).toEqual([{ _tag: "StreamUp" }]), PATIENCE)
    expect(dials).toBe(1)
  })

  it("is never up where every channel is refused, and is dialled less and less", async () => {
    const dials: Array<number> = []
    const routes = await serving(
      "BYBIT",
      () => void dials.push(performance.now()),
      (far, { op, req_id }) =>
        far.send(
          JSON.stringify({ success: op === "auth", ret_msg: "Request not authorized", conn_id: "1", req_id, op }),
        ),
    )
    const { session, reports } = await scripted("BYBIT", "BTCUSDT", () => ({}), {}, false, routes)
    open.push(() => session.stop())
    await vi.waitFor(() => expect(dials.length).toBeGreaterThan(4), PATIENCE)
    expect(reports.map(({ _tag }) => _tag)).toEqual(["StreamDown"])
    const [first = 0, second = 0, , fourth = 0, fifth = 0] = dials
    expect(fifth - fourth).toBeGreaterThan(second - first)
  })
})

describe("a stream at BINANCEUSDM", () => {
  it("is up when its socket is open, asks for balances that moved, and begins anew with another key when its own has expired", async () => {
    const keys: Array<string> = []
    let line: WebSocket | undefined
    let given = 0
    const routes = await serving("BINANCEUSDM", (far, url) => {
      line = far
      keys.push(url)
    })
    const { session, reports, asked } = await scripted(
      "BINANCEUSDM",
      "BTCUSDT",
      ({ url }) => {
        if (url.includes("listenKey")) return { listenKey: `key${++given}` }
        const row = {
          asset: "USDT",
          walletBalance: "10",
          availableBalance: "7",
          initialMargin: "3",
          marginBalance: "10",
        }
        return url.includes("balance") ? [{ ...row, balance: "10" }] : { assets: [row], positions: [] }
      },
      {},
      false,
      routes,
    )
    open.push(() => session.stop())
    await vi.waitFor(() => expect(reports.map(({ _tag }) => _tag)).toEqual(["StreamUp"]), PATIENCE)
    expect(keys.length).toBe(1)

    const before = asked.length
    line?.send(
      JSON.stringify({
        e: "ACCOUNT_UPDATE",
        E: 1,
        T: 1,
        a: { m: "DEPOSIT", B: [{ a: "USDT", wb: "10", cw: "10", bc: "1" }], P: [] },
      }),
    )
    await vi.waitFor(() => expect(reports.map(({ _tag }) => _tag)).toContain("BalancesSeen"), PATIENCE)
    expect(asked.length).toBeGreaterThan(before)

    line?.send(JSON.stringify({ e: "listenKeyExpired", E: 2, listenKey: "key1" }))
    await vi.waitFor(
      () =>
        expect(reports.map(({ _tag }) => _tag).filter((it) => it !== "BalancesSeen")).toEqual([
          "StreamUp",
          "StreamDown",
          "StreamUp",
        ]),
      PATIENCE,
    )
    expect(keys.map((url) => /key\d/.exec(url)?.[0])).toEqual(["key1", "key2"])
  })
})
