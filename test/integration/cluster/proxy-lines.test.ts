/** HAProxy by the shipped file: which connections to nodes a request may leave on. */
import { Agent, createServer, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, expect, it } from "vitest"
import { haproxyMissing, startHaproxy } from "../../kit/proxies/haproxy.ts"

const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** By connection: the clients whose requests came over it. */
const lines = new Map<object, Array<string>>()

const node = async (): Promise<number> => {
  const server: Server = createServer((asked, answer) => {
    const clients = lines.get(asked.socket) ?? []
    lines.set(asked.socket, [...clients, asked.headers["x-client"] as string])
    answer.end("ok")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const client = (url: string, name: string): (() => Promise<number | undefined>) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  closing.push(() => agent.destroy())
  return () =>
    new Promise((resolve, reject) => {
      request(url, { agent, headers: { "x-client": name } }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode))
      })
        .on("error", reject)
        .end()
    })
}

it.skipIf(haproxyMissing !== null)(
  `keeps a connection to a node for one client, whose requests stay on it: it is idle no longer than the client (${haproxyMissing ?? "HAProxy"})`,
  async () => {
    const proxy = await startHaproxy([await node(), await node(), await node()], false)
    closing.push(proxy.stop)
    const names = ["ada", "bob", "eve", "joe"]
    const clients = names.map((name) => client(proxy.url, name))
    // By turns from either end, so that neither the nodes' turn nor the connection that became idle first is by chance the same client's.
    for (let round = 0; round < 4; round++)
      for (const ask of round % 2 === 0 ? clients : clients.toReversed())
        expect([round, await ask()]).toEqual([round, 200])
    expect([...lines.values()].sort()).toEqual(names.map((name) => [name, name, name, name]))
  },
)
