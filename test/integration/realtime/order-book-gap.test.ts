/** The order book example on a stream that breaks the rules, which the gateway never does: it starts over instead of showing a wrong book. */
import { createServer, type IncomingMessage } from "node:http"
import { type AddressInfo, connect } from "node:net"
import type { Duplex } from "node:stream"
import { afterAll, beforeAll, expect, it } from "vitest"
import { endExamples, runExample } from "../../kit/servers/example.ts"
import { startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets
/** Answers the login, and hands WebSockets to the scripted server. */
const front = createServer((_request, response) => {
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ success: true, errno: 0, data: { accessToken: "alice", refreshToken: "none" } }))
})
front.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
  const upstream = connect(Number(new URL(sockets.url).port), "127.0.0.1")
  const { rawHeaders } = request
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : []))
  upstream.write(`GET ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
  upstream.write(head)
  for (const side of [socket, upstream]) side.on("error", () => side.destroy())
  socket.pipe(upstream).pipe(socket)
})

beforeAll(async () => {
  sockets = await startSockets()
  await new Promise<void>((done) => front.listen(0, "127.0.0.1", () => done()))
})
afterAll(async () => {
  await endExamples()
  await sockets.stop()
  front.closeAllConnections()
  await new Promise((done) => front.close(done))
})

const record = (more: object): string =>
  JSON.stringify({ bids: [["1", "1", ""]], asks: [["2", "1", ""]], quality: "SYNCED", ...more })
const snapshot = (sequence: number) => record({ updateType: "SNAPSHOT", sequence, previousSequence: null })
const diff = (sequence: number, previousSequence: number) => record({ updateType: "DIFF", sequence, previousSequence })

it("order-book.mjs subscribes anew when a DIFF does not follow the record before", async () => {
  sockets.position.snapshot = snapshot(10)
  const { port } = front.address() as AddressInfo
  const example = runExample("order-book.mjs", { GATEWAY_URL: `http://127.0.0.1:${port}` })
  await example.line(/^SNAPSHOT 10 /)
  sockets.publish(diff(11, 10))
  await example.line(/^DIFF 11 /)
  sockets.position.snapshot = snapshot(20)
  sockets.publish(diff(13, 12))
  await example.line(/^SNAPSHOT 20 /)
  sockets.publish(diff(21, 20))
  await example.line(/^DIFF 21 /)
  expect(
    example.lines.filter((line) => /^(SNAPSHOT|DIFF)/.test(line)).map((line) => line.split(" ", 2).join(" ")),
  ).toEqual(["SNAPSHOT 10", "DIFF 11", "SNAPSHOT 20", "DIFF 21"])
  expect(example.errors()).not.toContain("error")
})
