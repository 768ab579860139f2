/** Throws one switch, given as plain values by a test or by the control endpoint. */
import type { KrakenFault, KrakenFaults } from "./faults.ts"

export interface FaultTargets {
  readonly faults: KrakenFaults
  readonly closeSockets: (kind?: "market" | "user", code?: number) => void
  readonly say: (apiKey: string, message: Readonly<Record<string, unknown>>) => void
  readonly forgetTokens: () => void
}

export const applyFault = (fault: KrakenFault, { faults, closeSockets, say, forgetTokens }: FaultTargets): void => {
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
    case "delayNextBook":
      faults.delayNextBook(fault.symbol, fault.millis)
      break
    case "closeSockets":
      closeSockets(fault.kind, fault.code)
      break
    case "refuseWebSockets":
      faults.webSocketsRefused = fault.on
      break
    case "loseSubscribe":
      faults.onSubscribe(fault.channel, { kind: "lose" }, fault.count)
      break
    case "refuseSubscribe":
      faults.onSubscribe(fault.channel, { kind: "refuse", text: fault.text }, fault.count)
      break
    case "pushUserEvent":
      say(fault.apiKey, fault.event)
      break
    case "suppressUserEvents":
      faults.userEventsSuppressed = fault.on
      break
    case "dropNextPrivate":
      faults.dropNextPrivate(fault.channel, fault.count)
      break
    case "forgetTokens":
      forgetTokens()
      break
    case "clear":
      faults.clear()
  }
}
