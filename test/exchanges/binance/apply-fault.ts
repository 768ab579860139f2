/**
 * Throws one switch, given as data by a test or by the control endpoint.
 */
import type { Fault, Faults } from "./faults.ts"
import type { UserStreams } from "./user-streams.ts"

export const applyFault = (
  fault: Fault,
  faults: Faults,
  users: UserStreams,
  closeSockets: (kind?: "market" | "user", code?: number) => void,
): void => {
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
      users.push(fault.apiKey, fault.event)
      break
    case "suppressUserEvents":
      faults.userEventsSuppressed = fault.on
      break
    case "clear":
      faults.clear()
  }
}
