/** The test profile as a process: off unless asked for, never where others could knock, and then one server for the public suites. */
import { Centrifuge } from "centrifuge"
import { afterAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { rawSocket } from "../../../kit/readers/raw-socket.ts"
import { endGateways, type Gateway, launchGateway, startGateway } from "../../../kit/servers/gateway.ts"
import { withDatabaseServer } from "./database.ts"

afterAll(endGateways)
const database = withDatabaseServer()

const apiPublish = async ({ http }: Gateway, key: string): Promise<number> => {
  const answer = await fetch(`${http}/api/publish`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-API-Key": key },
    body: JSON.stringify({ channel: "news", data: { n: 1 } }),
  })
  return answer.status
}

describe("the test profile of the gateway", () => {
  it("is off unless it is asked for", async () => {
    const gateway = await startGateway({ env: { DATABASE_URL: (await database()).url } })
    const socket = await rawSocket(gateway.ws)
    socket.send({ id: 1, connect: {} })
    expect((await socket.closed).code).toBe(3501)
    expect(await apiPublish(gateway, "api_key")).toBe(404)
    expect(gateway.stderr()).not.toContain("test profile")
    expect(await gateway.stop()).toEqual({ code: 0, signal: null })
  })

  it("lets everybody in when it is, and says so", async () => {
    const gateway = await startGateway({
      env: { DATABASE_URL: (await database()).url, WS_PROFILE: "test", CHANNELS: '{"mine":{"historySize":1}}' },
    })
    expect(
      gateway
        .stderr()
        .split("\n")
        .filter((line) => line.includes("test profile")),
    ).toHaveLength(1)
    const client = new Centrifuge(gateway.ws, { websocket: WebSocket })
    const heard: Array<unknown> = []
    for (const channel of ["news", "mine:news"]) {
      const subscription = client.newSubscription(channel)
      subscription.on("publication", ({ data }) => heard.push(data))
      subscription.subscribe()
      client.connect()
      await subscription.ready(45_000)
      await subscription.publish({ by: channel })
    }
    expect(await apiPublish(gateway, "api_key")).toBe(200)
    expect(await apiPublish(gateway, "test-api-key")).toBe(200)
    expect(await apiPublish(gateway, "other")).toBe(401)
    await expect.poll(() => heard.length, { timeout: 45_000 }).toBe(4)
    // The gateway's own API is where it was.
    expect((await fetch(`${gateway.http}/api/v3/health/live`)).status).toBe(200)
    const ended = new Promise<number>((done) => client.once("connecting", ({ code }) => done(code)))
    expect(await gateway.stop()).toEqual({ code: 0, signal: null })
    expect(await ended).toBe(3001)
    client.disconnect()
  })

  it.each([
    ["on other addresses", { HOST: "0.0.0.0", TRUST_PROXY: "10.0.0.1" }],
    ["behind a proxy", { TRUST_PROXY: "127.0.0.1" }],
    ["in production", { NODE_ENV: "production", TRUST_PROXY: "" }],
  ])("is refused %s", async (_where, env) => {
    const gateway = launchGateway({ env: { ...env, WS_PROFILE: "test" } })
    expect(await gateway.exited).toEqual({ code: 1, signal: null })
    expect(gateway.stderr()).toMatch(/^venue-gateway: WS_PROFILE=test accepts every client: .+\n$/)
    expect(gateway.stdout).toEqual([])
  })

  it("is refused when CHANNELS is not about namespaces", async () => {
    const gateway = launchGateway({
      env: { DATABASE_URL: (await database()).url, WS_PROFILE: "test", CHANNELS: '{"mine":{"nonsense":1}}' },
    })
    expect(await gateway.exited).toEqual({ code: 1, signal: null })
    expect(gateway.stderr()).toContain("CHANNELS: mine.nonsense")
  })
})
