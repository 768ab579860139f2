/** A TCP proxy in front of a gateway, or its database, whose connections a test can cut, and keep cut: what a bad network does. */
import { createServer, connect as dial, type NetConnectOpts, type Socket } from "node:net"

export interface CutProxy {
  readonly port: number
  /** Ends every connection; until `mend` new ones end at once too. */
  readonly cut: () => void
  readonly mend: () => void
  /** Connections that are open stay so, and pass nothing any more; new ones do. */
  readonly still: () => void
  /** What the gateway has sent through the proxy since the last call, byte for byte as text. */
  readonly heard: () => string
  readonly close: () => Promise<void>
}

/** `resets`: connections end by RST, as those of a machine that went away; without it by FIN. */
export const cutProxy = (target: NetConnectOpts, { resets = false } = {}): Promise<CutProxy> =>
  new Promise((resolve, reject) => {
    const open = new Set<Socket>()
    let isCut = false
    let chunks: Array<Buffer> = []
    const server = createServer((client) => {
      if (isCut) return void client.destroy()
      const upstream = dial(target)
      upstream.on("data", (chunk) => void chunks.push(chunk))
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        open.add(socket)
        socket.setNoDelay(true)
        socket.on("error", () => other.destroy())
        socket.on("close", () => {
          open.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    })
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") return reject(new Error("no port"))
      const cut = (): void => {
        isCut = true
        for (const socket of open)
          if (resets) socket.resetAndDestroy()
          else socket.destroy()
      }
      resolve({
        port: address.port,
        cut,
        mend: () => {
          isCut = false
        },
        still: () => {
          for (const socket of open) socket.unpipe().pause()
        },
        heard: () => {
          const text = Buffer.concat(chunks).toString("latin1")
          chunks = []
          return text
        },
        close: () => {
          cut()
          return new Promise((done) => server.close(() => done()))
        },
      })
    })
  })
