/** MOCK's outgoing messages: collected during a loop turn, sent in a microtask at its end, reports before market data. */
import type { SessionReport } from "../../ports/venue-session.ts"
import type { MockAccount, MockOrder } from "./accounts.ts"

export class MockOutbox {
  /** Reports that a rig still wants lost, by tag. */
  readonly drops = new Map<SessionReport["_tag"], number>()
  readonly #afterReports: () => void
  #waiting: Array<{ readonly account: MockAccount; readonly report: SessionReport }> = []
  #isScheduled = false

  constructor(afterReports: () => void) {
    this.#afterReports = afterReports
  }

  /** Reports to an account's session, if one is open, its stream is up and no rig is in the way. */
  tell(account: MockAccount, report: SessionReport, order?: MockOrder): void {
    if (order?.isSilent === true || account.report === null) return
    const drops = this.drops.get(report._tag) ?? 0
    if (drops > 0) {
      this.drops.set(report._tag, drops - 1)
      return
    }
    if (!account.isStreaming && report._tag !== "StreamDown") return
    this.#waiting.push({ account, report })
    this.schedule()
  }

  schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      const waiting = this.#waiting
      this.#waiting = []
      for (const { account, report } of waiting) account.report?.(report)
      this.#afterReports()
    })
  }
}
