/** What a subscriber that returns is told of an event that memory keeps as the journal would: made of what was kept and the rows of now. */
import { keptEventOf, textOfEvent } from "../../../src/domain/account/event-kept.ts"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import type { StoredEvent } from "../../../src/ports/account-store.ts"
import type { MemoryDatabase } from "./memory-account-store.ts"

export const retold = (database: MemoryDatabase, account: TradingAccountId, { kept, payload }: StoredEvent): string => {
  const event = keptEventOf(kept ?? payload)
  if (event === null) return payload
  return textOfEvent(account, event, {
    execution: (id) => database.executions.get(id)!,
    order: (id) => database.orders.get(id)!.order,
    executionsOf: (id) => [...database.executions.values()].filter(({ tradeOrderId }) => tradeOrderId === id),
  })
}
