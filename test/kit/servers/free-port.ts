/** A port for a process that ends and comes back where it was. */
import { createServer } from "node:net"

// Below what systems hand out to whoever asks for any port: nobody gets it while the process is away.
const FIRST = 10_000
const LAST = 32_000

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST))
    if (await canListen(port)) return port
  }
}
