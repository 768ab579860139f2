/** What every loopback exchange listens by: one loopback port for REST, WebSockets and the control endpoint, and the steps of its market. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import { CONTROL_PREFIX, type ControlTarget, handleControl } from "./binance/control.ts"
import type { SyntheticMarket } from "./binance/replay/synthetic.ts"

const DEFAULT_STEP_MILLIS = 100

export interface Doors {
  readonly port: number
  readonly url: string
  /** Resolves when nothing is open any more; the WebSockets are their owner's to end before. */
  readonly close: () => Promise<void>
}

/** Resolves when the port listens. `faults` names the switches that the exchange has beside Binance's. */
export const openDoors = async <F extends { readonly fault: string }>(options: {
  /** 0 or absent: any free port. */
  readonly port: number | undefined
  readonly control: ControlTarget<F>
  readonly faults?: ReadonlyArray<string>
  readonly rest: { readonly handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> }
  readonly sockets: { readonly upgrade: (request: IncomingMessage, stream: Duplex, head: Buffer) => void }
}): Promise<Doors> => {
  const { control, faults, rest, sockets } = options
  const server = createServer((request, response) => {
    const isControl = request.url?.startsWith(CONTROL_PREFIX) === true
    const handled = isControl ? handleControl(control, request, response, faults) : rest.handle(request, response)
    // A defect in the exchange must look like one: the client gets no made-up answer.
    handled.catch((cause: unknown) => {
      console.error("loopback exchange:", cause)
      request.socket.destroy()
    })
  })
  // Longer than any client keeps an idle connection: a request must not meet a closing socket by accident.
  server.keepAliveTimeout = 60_000
  server.on("upgrade", (request, stream, head) => sockets.upgrade(request, stream, head))
  server.listen(options.port ?? 0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** The timer of a market that moves; none where it does not. */
export const moving = (
  synthetic: ReadonlyArray<SyntheticMarket>,
  { market = "moving", stepMillis = DEFAULT_STEP_MILLIS }: { readonly market?: string; readonly stepMillis?: number },
): ReadonlyArray<NodeJS.Timeout> => {
  if (market !== "moving") return []
  const step = (): void => {
    for (const one of synthetic) one.step()
  }
  return [setInterval(step, stepMillis)]
}
