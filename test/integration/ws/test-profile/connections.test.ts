/** Connections under the test profile: what the public suites ask of connect, tokens, rpc and the server's word, by the official client. */
import { type Centrifuge, State } from "centrifuge"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { rawSocket } from "../../../kit/readers/raw-socket.ts"
import {
  type Format,
  jwt,
  nextWith,
  startTestProfile,
  type TestProfileServer,
} from "../../../kit/servers/test-profile.ts"

/** Of an anonymous user, without an end: the token in the suites of centrifuge-js, -dart and -csharp, signed by somebody else. */
const PUBLIC_TOKEN =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3MzgwNzg4MjR9.MTb3higWfFW04E9-8wmTFOcf4MEm-rMDQaNKJ1VU_n4"

let running: TestProfileServer
beforeEach(async () => {
  running = await startTestProfile()
})
afterEach(() => running.stop())

const seconds = () => Math.floor(Date.now() / 1000)
const disconnected = (client: Centrifuge) =>
  new Promise<number>((end) => client.once("disconnected", ({ code }) => end(code)))
const connected = (client: Centrifuge) =>
  new Promise<{ client: string }>((done) => client.once("connected", (context) => done(context)))

describe.each<Format>(["json", "protobuf"])("a connection under the test profile, %s", (format) => {
  it("needs no token", async () => {
    const client = running.client(format)
    client.connect()
    await client.ready(45_000)
    expect(client.state).toBe(State.Connected)
    const end = disconnected(client)
    client.disconnect()
    expect(await end).toBe(0)
  })

  it("survives a loop of connect and disconnect", async () => {
    const client = running.client(format)
    const end = disconnected(client)
    for (let i = 0; i < 10; i++) {
      client.connect()
      client.disconnect()
    }
    await end
    client.connect()
    await client.ready(45_000)
  })

  it("comes back when its transport is cut", async () => {
    const client = running.client(format)
    client.connect()
    await client.ready(45_000)
    const back = connected(client)
    for (const connection of running.server.connections) connection.close([3001, "shutdown"])
    await back
    expect(client.state).toBe(State.Connected)
  })

  it("takes the tokens of the public suites", async () => {
    const client = running.client(format, { token: PUBLIC_TOKEN })
    client.connect()
    await client.ready(45_000)
    expect([...running.server.connections].map(({ user }) => user)).toEqual([""])
  })

  it("ends with 3500 when the token is not ours", async () => {
    for (const token of ["invalid_token", jwt({ sub: "42" }, { secret: "another" }), `${jwt({ sub: "42" })}x`]) {
      const client = running.client(format, { token })
      const end = disconnected(client)
      client.connect()
      expect(await end).toBe(3500)
    }
  })

  it("gets a new token when the one it has is over", async () => {
    const given: Array<string> = []
    const client = running.client(format, {
      token: jwt({ sub: "42", exp: seconds() - 1 }),
      getToken: async () => {
        const token = jwt({ sub: "42", exp: seconds() + 3600 })
        given.push(token)
        return token
      },
    })
    client.connect()
    await client.ready(45_000)
    expect(given).toHaveLength(1)
    expect([...running.server.connections].map(({ user }) => user)).toEqual(["42"])
  })

  it("renews its token before it is over, without leaving", async () => {
    let calls = 0
    const client = running.client(format, {
      getToken: async () => {
        calls++
        return jwt({ sub: "42", exp: seconds() + (calls === 1 ? 2 : 3600) })
      },
    })
    const connections: Array<string> = []
    client.on("connected", (context) => connections.push(context.client))
    client.connect()
    await expect.poll(() => calls, { timeout: 45_000 }).toBe(2)
    await client.presenceStats("any")
    expect(connections).toHaveLength(1)
    // The first token's end and its grace pass: the connection has the second one.
    await running.pass(60, () => client.presenceStats("any"))
    expect(client.state).toBe(State.Connected)
  })

  it("has no rpc: 108, also for one that was called before connect", async () => {
    const client = running.client(format)
    const early = client.rpc("method", {}).catch((error) => error)
    client.connect()
    expect(await early).toMatchObject({ code: 108 })
  })

  it("is closed with 3508 when it sends a message that nobody takes", async () => {
    const client = running.client(format)
    client.connect()
    await client.ready(45_000)
    const end = disconnected(client)
    // It may be given up with the connection.
    client.send({}).catch((error: unknown) => error)
    expect(await end).toBe(3508)
  })

  it("is disconnected by the server API: for good, or with a code that lets it come back with a new token", async () => {
    let calls = 0
    const client = running.client(format, {
      getToken: async () => {
        calls++
        return jwt({ sub: "42" })
      },
    })
    const first = connected(client)
    client.connect()
    const back = first.then(() => connected(client))
    const { client: id } = await first
    expect(await running.api("disconnect", { client: "nobody", disconnect: { code: 3014, reason: "x" } })).toEqual({
      result: {},
    })
    await running.api("disconnect", { client: id, disconnect: { code: 3014, reason: "state invalidated" } })
    await back
    expect(calls).toBe(2)
    const end = disconnected(client)
    await running.api("disconnect", { user: "42" })
    expect(await end).toBe(3503)
  })

  it("is spared by the API's disconnect when it is on the white list", async () => {
    const [a, b] = [
      running.client(format, { token: jwt({ sub: "42" }) }),
      running.client(format, { token: jwt({ sub: "42" }) }),
    ]
    const spared = connected(a)
    a.connect()
    b.connect()
    await b.ready(45_000)
    const end = disconnected(b)
    await running.api("disconnect", { user: "42", whitelist: [(await spared).client] })
    expect(await end).toBe(3503)
    await a.presenceStats("any")
  })
})

describe("a connection's end by the server's word", () => {
  it("is told by a push, and by 3005 when it is at once", async () => {
    const socket = await rawSocket(running.url)
    socket.send({ id: 1, connect: { token: jwt({ sub: "42" }) } })
    await nextWith(socket, "connect")
    await running.api("refresh", { user: "42", expire_at: seconds() + 100 })
    expect(await nextWith(socket, "refresh")).toMatchObject({ push: { refresh: { expires: true } } })
    await running.api("refresh", { user: "42", expired: true })
    expect(await socket.closed).toEqual({ code: 3005, reason: "connection expired" })
  })

  it("comes 25 s after the token's, when nobody renewed it", async () => {
    const socket = await rawSocket(running.url)
    socket.send({ id: 1, connect: { token: jwt({ sub: "42", exp: seconds() + 10 }) } })
    expect(await nextWith(socket, "connect")).toMatchObject({ connect: { expires: true } })
    const word = () => {
      socket.send({ id: 2, presence_stats: { channel: "any" } })
      return nextWith(socket, "presence_stats")
    }
    await running.pass(30, word)
    const closed = socket.closed.then(({ code }) => code)
    await Promise.race([running.pass(60, word), closed])
    expect(await closed).toBe(3005)
  })

  it("is never, by `expire_at`, though the token ends", async () => {
    const socket = await rawSocket(running.url)
    socket.send({ id: 1, connect: { token: jwt({ sub: "42", exp: seconds() + 10, expire_at: 0 }) } })
    const { connect } = await socket.next()
    expect(connect).not.toHaveProperty("expires")
    socket.close()
  })
})
