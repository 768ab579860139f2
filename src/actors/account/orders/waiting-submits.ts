/**
 * Submits of one account that wait for their user's share of the way to the store. The one thing to know: whatever is asked of an order by its
 * name, or of all orders, must meet those that wait too. They go on at once then, and are found: a cancel that passed by one would be
 * answered, and the order would leave for the venue after it.
 */
import type { SubmitRequest } from "../../../domain/order/submit-request.ts"
import { RareSet } from "../../../domain/rare.ts"

export interface WaitingSubmit {
  readonly request: Pick<SubmitRequest, "clientOrderId">
  readonly goOn: () => void
}

export class WaitingSubmits {
  private readonly waiting = new RareSet<WaitingSubmit>()

  add(one: WaitingSubmit): void {
    this.waiting.add(one)
  }

  /** False: it does not wait any more. */
  remove(one: WaitingSubmit): boolean {
    return this.waiting.delete(one)
  }

  /** In a turn. The gateway's own id of an order is made when it goes on: no client knows it before. */
  hastenNamed(clientOrderId: string): void {
    this.hasten(({ request }) => request.clientOrderId === clientOrderId)
  }

  /** In a turn. */
  hastenAll(): void {
    this.hasten(() => true)
  }

  private hasten(isMeant: (one: WaitingSubmit) => boolean): void {
    if (this.waiting.size === 0) return
    for (const one of [...this.waiting]) if (isMeant(one)) one.goOn()
  }
}
