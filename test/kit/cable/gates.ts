/** Gates of owners and of edges over a cable in memory, by a clock that is turned by hand: one user, and calls that are named for what becomes of them. */
import type { SessionId, TenantId, UserId } from "../../../src/domain/ids.ts"
import type { Principal } from "../../../src/domain/user/user.ts"
import type { NotTakenReason, Peer } from "../../../src/ports/cable.ts"
import type { RpcAnswer } from "../../../src/ports/rpc.ts"
import type { Authority, Credentials } from "../../../src/ws/channels/authority.ts"
import type { Served } from "../../../src/ws/fanout/stream.ts"
import { EdgeGate } from "../../../src/ws/mirrors/edge-gate.ts"
import { Gate } from "../../../src/ws/mirrors/gate.ts"
import { ERRORS } from "../../../src/ws/protocol/error-codes.ts"
import { type Node, nodesInMemory } from "./nodes.ts"

export const IP = "203.0.113.7"
const SPEAKER = "session-alice" as SessionId
const principal = (permissions: Principal["permissions"]): Principal => ({
  userId: "alice" as UserId,
  sessionId: SPEAKER,
  tenantId: "default" as TenantId,
  permissions,
  environments: ["PROD"],
  provenAt: 0,
  secondFactor: "none",
  isAdminWithheld: false,
  key: null,
})
export const done: RpcAnswer = { envelope: `"done"`, failure: null }
export const busy: RpcAnswer = { envelope: `"busy"`, failure: null }
export const unknown: RpcAnswer = { envelope: `"unknown"`, failure: null }

interface Settings {
  /** Stored, whichever process owns it. */
  permissions: Principal["permissions"]
  isRefused: boolean
  /** Why the owner of term 1 begins no call. */
  holdsBack: NotTakenReason | undefined
  isLeased: boolean
}

export const gatesInMemory = () => {
  const nodes = nodesInMemory()
  const settings: Settings = { permissions: ["read"], isRefused: false, holdsBack: undefined, isLeased: true }
  const calls: Array<string> = []

  const owner = async (term: number) => {
    const node = await nodes.node()
    const renewers: Array<(speaker: SessionId) => void> = []
    const credentials: Credentials = {
      user: "alice",
      get principal() {
        return principal(settings.permissions)
      },
      expiresAt: null,
      info: null,
      channels: [],
    }
    const identified: Array<string> = []
    const authority: Authority = {
      identify: (_token, { ip }) => {
        identified.push(ip)
        return settings.isRefused ? "forbidden" : credentials
      },
      isWelcome: () => !settings.isRefused,
      access: ({ principal: who }, { channel }) =>
        who?.permissions.includes("read") === true
          ? { _tag: "Granted", served: { canonical: channel } as Served, expiresAt: null, info: null }
          : { _tag: "Denied", error: ERRORS.permissionDenied },
      refreshSubscription: () => ({ expiresAt: null }),
    }
    const gate = new Gate({
      cable: node.cable,
      authority,
      rpc: ({ method, isMalformed, deadline = 0 }, answer) => {
        calls.push(isMalformed ? `${method} malformed` : method)
        if (method.startsWith("stuck") && term === 1) return
        // The venue says nothing: it ends by its deadline.
        if (method === "slow") nodes.time.after(deadline - 150 - node.now(), () => answer(busy))
        else answer(done)
      },
      mayAct: () => settings.isLeased,
      holdsBack: () => (term === 1 ? settings.holdsBack : undefined),
      waitsForOrders: (method) => !method.endsWith(".get"),
      onSpeakerEnded: () => {},
      onSpeakerRenewed: (listener) => void renewers.push(listener),
      onOperatorGone: () => {},
      monotonic: node.now,
      after: nodes.time.after,
    })
    gate.begin(term)
    return {
      node,
      identified,
      peer: node.peer(term),
      renew: () => {
        for (const renewed of renewers) renewed(SPEAKER)
      },
    }
  }

  const edge = async () => {
    const node: Node = await nodes.node()
    const listeners: Array<() => void> = []
    let home: Peer | undefined
    const seats = new Set([IP])
    const gate = new EdgeGate({
      cable: node.cable,
      owner: () => home,
      onOwner: (listener) => void listeners.push(listener),
      servedOf: (canonical) => ({ canonical }) as Served,
      speakers: () => [...seats].map((ip) => ({ speaker: SPEAKER, ip })),
      isRead: (method) => method.endsWith(".get"),
      refusals: { busy: () => busy, unknown: () => unknown },
      monotonic: node.now,
      after: nodes.time.after,
    })
    const { authority } = gate
    let found: Credentials | undefined
    const identify = (ip = IP): Credentials => {
      const from = { ip }
      const first = authority.identify("t", from)
      if (typeof first === "string" || !("unseen" in first)) throw new Error("nothing was asked")
      first.learn(() => {
        const again = authority.identify("t", from)
        if (typeof again !== "string" && !("unseen" in again)) found = again
      })
      nodes.time.pass(200)
      return found!
    }
    return {
      gate,
      /** Where its sockets come from. */
      seats,
      inbox: node.peer(0).inbox,
      knows: (peer: Peer | undefined) => {
        home = peer
        for (const listener of listeners) listener()
      },
      identify,
      /** Of a channel: whether it may be read, once it is known. */
      access: (credentials: Credentials, channel: string) => {
        const asked: { tag: string } = { tag: "" }
        const request = { channel, type: 0, token: "", client: "" }
        const look = (): void => {
          const access = authority.access(credentials, request)
          asked.tag = access._tag
          if (access._tag === "Later") access.learn((known) => (known ? look() : undefined))
        }
        look()
        return asked
      },
    }
  }

  return { nodes, settings, calls, owner, edge }
}
