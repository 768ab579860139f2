/** A request of a socket that has an id, as the fault switches have it: they see it as `WS <operation>`. */
import type { WebSocket } from "ws"
import type { AnswerFault } from "./binance/faults.ts"

export interface SocketRequest {
  readonly socket: WebSocket
  /** Does it; the answer in the venue's words. */
  readonly run: () => object
  /** The answer in place of that. `body` is what REST would say. */
  readonly refused: (fault: Extract<AnswerFault, { readonly status: number }>) => object
}

export const answerSocket = (fault: AnswerFault | undefined, { socket, run, refused }: SocketRequest): void => {
  const send = (reply: object): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(reply))
  }
  switch (fault?.kind) {
    case undefined:
      send(run())
      return
    case "hang":
      return
    case "destroy":
      socket.terminate()
      return
    case "status":
      send(refused(fault))
      return
    case "delay":
      setTimeout(() => send(run()), fault.millis)
      return
    case "apply-then-hang":
      run()
      return
    case "apply-then-destroy":
      run()
      socket.terminate()
      return
    case "apply-then-status":
      run()
      send(refused(fault))
  }
}

/** Empty where it is no object in JSON: a page of a gateway before the venue, which a socket does not have. */
export const bodyOf = (body: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    const read: unknown = JSON.parse(body ?? "")
    return typeof read === "object" && read !== null ? (read as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}
