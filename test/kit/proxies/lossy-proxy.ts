/**
 * A TCP proxy that loses connections in the middle of what the server sends: after a number of bytes, wherever in a frame that falls. The
 * client sees the end at once; the server too, or, as after a lost cable, only with the next loss.
 */
import { createServer, connect as dial, type Socket } from "node:net"

export interface Loss {
  /** To the client, from now or from the next connection on. */
  readonly afterBytes: number
  readonly serverIsTold: boolean
}

export interface LossyProxy {
  readonly port: number
  /** One more loss, after those that are still to come. */
  readonly lose: (loss: Loss) => void
  /** Where connections from now on go. */
  readonly turnTo: (port: number) => void
  readonly pending: () => number
  readonly losses: () => number
  readonly close: () => Promise<void>
}

export const lossyProxy = (target: { readonly host: string; readonly port: number }): Promise<LossyProxy> =>
  new Promise((resolve, reject) => {
    const planned: Array<Loss> = []
    const open = new Set<Socket>()
    const untold: Array<Socket> = []
    let losses = 0
    let { port } = target

    const serve = (client: Socket): void => {
      const server = dial({ host: target.host, port })
      let sent = 0
      const end = ({ serverIsTold }: Loss): void => {
        losses++
        for (const socket of untold.splice(0)) socket.destroy()
        server.removeAllListeners("data")
        client.unpipe(server)
        if (serverIsTold) server.destroy()
        else {
          server.pause()
          untold.push(server)
        }
      }
      for (const socket of [client, server]) {
        open.add(socket)
        socket.setNoDelay(true)
        socket.on("close", () => open.delete(socket))
      }
      client.on("error", () => server.destroy())
      client.on("close", () => {
        if (!untold.includes(server)) server.destroy()
      })
      server.on("error", () => client.destroy())
      server.on("close", () => client.destroy())
      client.pipe(server)
      server.on("data", (chunk: Buffer) => {
        const [loss] = planned
        const left = loss === undefined ? Number.POSITIVE_INFINITY : loss.afterBytes - sent
        if (loss !== undefined && chunk.length >= left) {
          planned.shift()
          // Half a frame, and then the end.
          client.end(chunk.subarray(0, Math.max(0, left)))
          end(loss)
          return
        }
        sent += loss === undefined ? 0 : chunk.length
        if (!client.write(chunk)) {
          server.pause()
          client.once("drain", () => server.resume())
        }
      })
    }

    const listener = createServer(serve)
    listener.once("error", reject)
    listener.listen(0, "127.0.0.1", () => {
      const address = listener.address()
      if (address === null || typeof address === "string") return reject(new Error("no port"))
      resolve({
        port: address.port,
        lose: (loss) => void planned.push(loss),
        turnTo: (to) => {
          port = to
        },
        pending: () => planned.length,
        losses: () => losses,
        close: () => {
          for (const socket of open) socket.destroy()
          return new Promise((done) => listener.close(() => done()))
        },
      })
    })
  })
