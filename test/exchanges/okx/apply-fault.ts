/** Throws one switch, given as data by a test or by the control endpoint. */
import type { SocketKind } from "./channels.ts"
import type { OkxFault, OkxFaults } from "./faults.ts"

/** What a switch may reach beside the switches themselves. */
export interface FaultTargets {
  readonly faults: OkxFaults
  readonly closeSockets: (kinds: ReadonlyArray<SocketKind>, code?: number) => void
  readonly announceUpgrade: () => void
  readonly pushUser: (apiKey: string, event: unknown) => void
  readonly releaseBooks: () => void
  readonly releaseCancels: () => void
  readonly forgetCancelled: () => void
}

const KINDS: Readonly<Record<"market" | "user", ReadonlyArray<SocketKind>>> = {
  market: ["public", "business"],
  user: ["private"],
}

export const applyFault = (fault: OkxFault, targets: FaultTargets): void => {
  const { faults } = targets
  switch (fault.fault) {
    case "answer":
      faults.answer(fault.match, fault.action, fault.times)
      break
    case "dropNextDiffs":
      faults.dropNextDiffs(fault.symbol, fault.count)
      break
    case "duplicateNextDiffs":
      faults.duplicateNextDiffs(fault.symbol, fault.count)
      break
    case "reorderNextDiffs":
      faults.reorderNextDiffs(fault.symbol)
      break
    case "closeSockets":
      targets.closeSockets(fault.kind === undefined ? [...KINDS.market, ...KINDS.user] : KINDS[fault.kind], fault.code)
      break
    case "refuseWebSockets":
      faults.webSocketsRefused = fault.on
      break
    case "pushUserEvent":
      targets.pushUser(fault.apiKey, fault.event)
      break
    case "suppressUserEvents":
      faults.userEventsSuppressed = fault.on
      break
    case "holdBooks":
      faults.booksHeld = fault.on
      if (!fault.on) targets.releaseBooks()
      break
    case "holdCancels":
      faults.cancelsHeld = fault.on
      if (!fault.on) targets.releaseCancels()
      break
    case "loseSubscribe":
      faults.onSubscribe(fault.channel, { kind: "lose" }, fault.count)
      break
    case "refuseSubscribe":
      faults.onSubscribe(fault.channel, { kind: "refuse", code: fault.code, msg: fault.msg }, fault.count)
      break
    case "limitConnections":
      faults.onSubscribe(fault.channel, { kind: "limit" }, fault.count)
      break
    case "announceUpgrade":
      targets.announceUpgrade()
      break
    case "forgetCancelled":
      targets.forgetCancelled()
      break
    case "clear":
      faults.clear()
      targets.releaseBooks()
      targets.releaseCancels()
  }
}
