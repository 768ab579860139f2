/**
 * The fault switches of the loopback exchange. All are plain data, so that the control endpoint can throw the same ones.
 * A switch is off until it is thrown; the counted ones turn themselves off.
 */

/** What happens to an answer. The `apply-` ones do the work first: the order WAS placed, only the answer is lost. */
export type AnswerFault =
  | { readonly kind: "delay"; readonly millis: number }
  | { readonly kind: "hang" }
  | { readonly kind: "destroy" }
  | {
      readonly kind: "status"
      readonly status: number
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: "apply-then-hang" }
  | { readonly kind: "apply-then-destroy" }
  | { readonly kind: "apply-then-status"; readonly status: number; readonly body?: string }

export type Fault =
  /** `match` is `METHOD /path`, or `WS method` for the WebSocket API, or a part of one; `times` is 1 when absent. */
  | {
      readonly fault: "answer"
      readonly match: string
      readonly times?: number | "always"
      readonly action: AnswerFault
    }
  | { readonly fault: "dropNextDiffs"; readonly symbol: string; readonly count: number }
  | { readonly fault: "duplicateNextDiffs"; readonly symbol: string; readonly count: number }
  /** The next diff is sent after the one that follows it. */
  | { readonly fault: "reorderNextDiffs"; readonly symbol: string }
  /** Without a code the connection is cut, as a broken network does it. */
  | { readonly fault: "closeSockets"; readonly kind?: "market" | "user"; readonly code?: number }
  | { readonly fault: "refuseWebSockets"; readonly on: boolean }
  | { readonly fault: "pushUserEvent"; readonly apiKey: string; readonly event: Readonly<Record<string, unknown>> }
  /** The private stream stays open and says nothing. */
  | { readonly fault: "suppressUserEvents"; readonly on: boolean }
  | { readonly fault: "clear" }

interface DiffFaults {
  drop: number
  duplicate: number
  reorder: boolean
  held: string | undefined
}

export class Faults {
  webSocketsRefused = false
  userEventsSuppressed = false
  #answers: Array<{ readonly match: string; readonly action: AnswerFault; left: number }> = []
  readonly #diffs = new Map<string, DiffFaults>()

  answer(match: string, action: AnswerFault, times: number | "always" = 1): void {
    this.#answers.push({ match, action, left: times === "always" ? Number.POSITIVE_INFINITY : times })
  }

  /** The first fault that matches, used up by one. */
  takeAnswer(key: string): AnswerFault | undefined {
    const found = this.#answers.find(({ match }) => key === match || (!match.includes(" ") && key.includes(match)))
    if (found === undefined) return undefined
    found.left -= 1
    if (found.left <= 0) this.#answers = this.#answers.filter((fault) => fault !== found)
    return found.action
  }

  dropNextDiffs(symbol: string, count: number): void {
    for (const faults of this.#bothSpeeds(symbol)) faults.drop += count
  }

  duplicateNextDiffs(symbol: string, count: number): void {
    for (const faults of this.#bothSpeeds(symbol)) faults.duplicate += count
  }

  reorderNextDiffs(symbol: string): void {
    for (const faults of this.#bothSpeeds(symbol)) faults.reorder = true
  }

  /** What really leaves on a diff stream when this frame is due. */
  onDiff(stream: string, text: string): ReadonlyArray<string> {
    const faults = this.#diffs.get(stream)
    if (faults === undefined) return [text]
    if (faults.drop > 0) {
      faults.drop -= 1
      return []
    }
    if (faults.duplicate > 0) {
      faults.duplicate -= 1
      return [text, text]
    }
    if (faults.held !== undefined) {
      const { held } = faults
      faults.held = undefined
      return [text, held]
    }
    if (faults.reorder) {
      faults.reorder = false
      faults.held = text
      return []
    }
    return [text]
  }

  clear(): void {
    this.#answers = []
    this.#diffs.clear()
    this.webSocketsRefused = false
    this.userEventsSuppressed = false
  }

  #bothSpeeds(symbol: string): ReadonlyArray<DiffFaults> {
    return [`${symbol.toLowerCase()}@depth`, `${symbol.toLowerCase()}@depth@100ms`].map((stream) => {
      const known = this.#diffs.get(stream)
      if (known !== undefined) return known
      const faults = { drop: 0, duplicate: 0, reorder: false, held: undefined }
      this.#diffs.set(stream, faults)
      return faults
    })
  }
}
