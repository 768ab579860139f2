/** How a member asks: over HTTP, and by the call of the same name on a socket of its own. What comes back is kept as text. */
import { rpcMethodOf } from "../../../src/http/rpc/rpc.ts"
import type { DeclaredRoute } from "../http-fuzz/declared-routes.ts"
import { type RawSocket, rawSocket } from "../readers/raw-socket.ts"
import type { Envelope, Ready } from "../servers/gateway.ts"
import type { Member } from "./furnish.ts"
import type { Fields } from "./tenant-names.ts"

export interface Heard {
  readonly status: number
  readonly text: string
  readonly envelope: Envelope<unknown>
  readonly isReplayed: boolean
}

export type Ask = (route: DeclaredRoute, who: Member, fields: Fields) => Promise<Heard>

export const rpcOf = ({ method, path }: DeclaredRoute): string | undefined => rpcMethodOf({ method, template: path })

export const askHttp = async (
  { http }: Ready,
  route: DeclaredRoute,
  who: Member,
  fields: Fields,
  headers: Readonly<Record<string, string>> = {},
): Promise<Heard> => {
  const hasBody = route.body !== undefined
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)])
  const search = hasBody ? "" : new URLSearchParams(pairs).toString()
  const response = await fetch(`${http}${route.path}${search === "" ? "" : `?${search}`}`, {
    method: route.method,
    headers: { "content-type": "application/json", authorization: `Bearer ${who.session.accessToken}`, ...headers },
    ...(hasBody ? { body: JSON.stringify(fields) } : {}),
  })
  const text = await response.text()
  const isReplayed = response.headers.get("idempotency-replayed") === "true"
  return { status: response.status, text, envelope: JSON.parse(text), isReplayed }
}

interface Warm {
  readonly socket: RawSocket
  lastId: number
}

/** Sockets that stay open, one for each member. */
export class TenantSockets {
  readonly #ready: Ready
  readonly #warm = new Map<string, Warm>()

  constructor(ready: Ready) {
    this.#ready = ready
  }

  async #of(who: Member): Promise<Warm> {
    const known = this.#warm.get(who.sessionId)
    if (known !== undefined) return known
    const socket = await rawSocket(this.#ready.ws)
    // The server closes who is silent, and this one may not be used for a while.
    socket.socket.on("message", (message: Buffer) => {
      if (message.toString() === "{}") socket.sendText("{}")
    })
    socket.send({ id: 1, connect: { token: who.session.accessToken } })
    await socket.next()
    const made = { socket, lastId: 1 }
    this.#warm.set(who.sessionId, made)
    return made
  }

  /** The reply to this one; pushes that come before it are passed over. */
  async command(who: Member, command: Fields): Promise<Fields> {
    const open = await this.#of(who)
    open.lastId += 1
    const id = open.lastId
    open.socket.send({ id, ...command })
    for (;;) {
      const reply = await open.socket.next()
      if (reply["id"] === id) return reply
    }
  }

  /** All pushes up to now that no command has passed over. */
  async rest(who: Member): Promise<ReadonlyArray<Fields>> {
    return (await this.#of(who)).socket.rest()
  }

  async call(route: DeclaredRoute, who: Member, fields: Fields): Promise<Heard> {
    const reply = await this.command(who, { rpc: { method: rpcOf(route), data: fields } })
    const envelope = (reply["rpc"] as { readonly data: Envelope<unknown> }).data
    const failure = reply["error"] as { readonly code: number } | undefined
    return {
      status: failure === undefined ? 200 : failure.code - 600,
      text: JSON.stringify(envelope),
      envelope,
      isReplayed: false,
    }
  }

  close(): void {
    for (const { socket } of this.#warm.values()) socket.close()
  }
}
