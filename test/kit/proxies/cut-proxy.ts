/** A TCP proxy in front of a gateway, or its database, whose connections a test can cut, and keep cut: what a bad network does. */
import { createServer, connect as dial, type NetConnectOpts, type Socket } from "node:net"

/** Whose words do not arrive: of those that dial, of what they dial, or of both. */
export type Parted = "client" | "target" | "both"

interface Way {
  readonly from: Socket
  readonly to: Socket
  readonly of: "client" | "target"
  isHeld: boolean
  /** Its speaker has ended, and the other end has not heard of it. */
  isOver: boolean
}

export interface CutProxy {
  readonly port: number
  /** Ends every connection; until `mend` new ones end at once too. */
  readonly cut: () => void
  /** Until `mend` nothing that these say arrives, on open connections and new ones, their ends included; then all of it does, as over TCP. */
  readonly part: (whose: Parted) => void
  readonly mend: () => void
  /** Connections that are open stay so, and pass nothing any more; new ones do. */
  readonly still: () => void
  /** What the gateway has sent through the proxy since the last call, byte for byte as text. */
  readonly heard: () => string
  readonly close: () => Promise<void>
}

/**
 * `resets`: connections end by RST, as those of a machine that went away; without it by FIN. `isHeard`: what passes is kept for `heard`; false for one that
 * stands for long.
 */
export const cutProxy = (target: NetConnectOpts, { resets = false, isHeard = true } = {}): Promise<CutProxy> =>
  new Promise((resolve, reject) => {
    const open = new Set<Socket>()
    const ways = new Set<Way>()
    let isCut = false
    let parted: Parted | undefined
    const hold = (way: Way): void => {
      if (way.isHeld || (parted !== "both" && parted !== way.of)) return
      way.isHeld = true
      way.from.unpipe().pause()
    }
    const end = (way: Way): void => {
      if (way.isHeld) way.isOver = true
      else {
        ways.delete(way)
        way.to.destroy()
      }
    }
    const release = (way: Way): void => {
      if (!way.isHeld) return
      way.isHeld = false
      if (way.isOver) end(way)
      else way.from.pipe(way.to)
    }
    let chunks: Array<Buffer> = []
    const server = createServer((client) => {
      if (isCut) return void client.destroy()
      const upstream = dial(target)
      if (isHeard) upstream.on("data", (chunk) => void chunks.push(chunk))
      for (const [from, to, of] of [
        [client, upstream, "client"],
        [upstream, client, "target"],
      ] as const) {
        const way: Way = { from, to, of, isHeld: false, isOver: false }
        open.add(from)
        ways.add(way)
        from.setNoDelay(true)
        from.on("error", () => end(way))
        from.on("close", () => {
          open.delete(from)
          end(way)
        })
        from.pipe(to)
        hold(way)
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
        part: (whose) => {
          parted = whose
          for (const way of ways) hold(way)
        },
        mend: () => {
          isCut = false
          parted = undefined
          for (const way of [...ways]) release(way)
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
          parted = undefined
          for (const way of [...ways]) release(way)
          cut()
          return new Promise((done) => server.close(() => done()))
        },
      })
    })
  })
