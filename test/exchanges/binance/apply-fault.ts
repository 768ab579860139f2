/** Throws one switch, given as data by a test or by the control endpoint. */
import type { Fault, Faults } from "./faults.ts"

/** What a switch may reach. */
export interface FaultTargets {
  readonly faults: Faults
  readonly closeSockets: (kind?: "market" | "user", code?: number) => void
  /** To the private streams of one key. */
  readonly pushUser: (apiKey: string, event: Readonly<Record<string, unknown>>) => void
}

export const applyFault = (fault: Fault, { faults, closeSockets, pushUser }: FaultTargets): void => {
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
      closeSockets(fault.kind, fault.code)
      break
    case "refuseWebSockets":
      faults.webSocketsRefused = fault.on
      break
    case "pushUserEvent":
      pushUser(fault.apiKey, fault.event)
      break
    case "suppressUserEvents":
      faults.userEventsSuppressed = fault.on
      break
    case "clear":
      faults.clear()
  }
}
