/**
 * Orders on their way: from the key press to the gateway's answer. The one thing to know: nothing here is an order. What got no answer is
 * shown as unknown and asked after by its own id, never sent again; it is remembered over a reload of the page, since it may be there.
 */
import { effect, signal } from "@preact/signals"
import {
  type GatewayError,
  type Submission,
  type SubmitOrder,
  submit,
  type TradeOrder,
} from "../../../clients/typescript/src/index.ts"
import { followed } from "../live.ts"
import { newId } from "../parts/new-id.ts"
import { gateway, userId, wordsOf } from "../session.ts"

export type Sent = {
  readonly key: string
  readonly order: SubmitOrder
  readonly at: number
} & (
  | { readonly state: "sending" }
  | { readonly state: "refused"; readonly why: string }
  /** Acknowledged; the account's channel has not told of it yet. */
  | { readonly state: "stored"; readonly tradeOrderId: string }
  /** No answer: whether it was stored is not known. */
  | { readonly state: "unknown"; readonly why: string }
  /** It was unknown, and the gateway has no order of this id. */
  | { readonly state: "absent" }
)

export const sent = signal<ReadonlyArray<Sent>>([])
/** Of each user apart: who signs in next asks after nothing of the one before. */
const kept = (): string => `console.sent.${userId.peek() ?? ""}`
const ASK_EVERY_MS = 1_000
/** The gateway answers within 5 s, or the request was never taken up: so long after the wait for the answer was given up an id is not to turn up. */
const SETTLED_MS = 8_000
/** It is asked so often after that before its word is taken. */
const LOOKS = 2

const remember = (): void => {
  const open = sent.value.filter(({ state }) => state === "sending" || state === "unknown")
  sessionStorage.setItem(kept(), JSON.stringify(open))
}

const set = (next: Sent): void => {
  sent.value = [...sent.value.filter(({ key }) => key !== next.key), next]
  remember()
}

export const dismiss = (key: string): void => {
  sent.value = sent.value.filter((it) => it.key !== key)
  remember()
}

const acknowledged = ({ key, order, at }: Pick<Sent, "key" | "order" | "at">, { tradeOrderId }: TradeOrder): void =>
  set({ key, order, at, state: "stored", tradeOrderId })

/** Every reader of the account sees it from here on: the row of the order takes the place of what was sent. */
effect(() => {
  const account = followed.value
  if (account === null) return
  const orders = [...account.orders, ...account.ended]
  const told = new Set(orders.map(({ tradeOrderId }) => tradeOrderId))
  const named = new Set(orders.map(({ clientOrderId }) => clientOrderId))
  const isTold = (it: Sent): boolean =>
    it.state === "stored" ? told.has(it.tradeOrderId) : it.state === "absent" && named.has(it.key)
  const left = sent.value.filter((it) => !isTold(it))
  if (left.length < sent.value.length) sent.value = left
})

const asking = new Set<string>()

/** Asks until it is known whether there is such an order. */
const settle = async (unknown: Sent): Promise<void> => {
  const { key, order, at } = unknown
  if (asking.has(key)) return
  asking.add(key)
  const [givenUpAt, user] = [Date.now(), userId.peek()]
  try {
    for (let absences = 0; ; ) {
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
      // Its own user asks after it, when that one comes again.
      if (userId.peek() !== user) return
      const askedAt = Date.now()
      try {
        const found = await gateway.get("tradeOrder/get", {
          tradingAccountId: order.tradingAccountId,
          clientOrderId: key,
        })
        if (userId.peek() === user) acknowledged(unknown, found)
        return
      } catch (error) {
        const isAbsent = (error as GatewayError).code === "ORDER_NOT_FOUND"
        if (userId.peek() !== user) return
        if (isAbsent && askedAt - givenUpAt > SETTLED_MS) absences += 1
        if (absences === LOOKS) return set({ key, order, at, state: "absent" })
      }
    }
  } finally {
    asking.delete(key)
  }
}

/** Sent once. `clientOrderId` is its key, and the name that it is asked after by. */
export const send = async (order: SubmitOrder): Promise<void> => {
  const key = newId()
  const at = Date.now()
  const named = { ...order, clientOrderId: key }
  const user = userId.peek()
  set({ key, order: named, at, state: "sending" })
  const unanswered = (why: unknown): Promise<void> => {
    if (userId.peek() !== user) return Promise.resolve()
    const unknown: Sent = { key, order: named, at, state: "unknown", why: wordsOf(why) }
    set(unknown)
    return settle(unknown)
  }
  let submission: Submission
  try {
    submission = await submit(gateway, named, { key, patienceMs: 0 })
  } catch (error) {
    // It broke on this side, before or after it went out: only the gateway knows.
    return unanswered(error)
  }
  // Another user's page says nothing of it; it is remembered, and asked after when its own user comes again.
  if (userId.peek() !== user) return
  if (submission.outcome === "Refused")
    return set({ key, order: named, at, state: "refused", why: wordsOf(submission.error) })
  if (submission.outcome === "Unanswered") return unanswered(submission.error)
  acknowledged({ key, order: named, at }, submission.order)
}

/** A user came: what was on its way when the page was left is asked after, not sent. */
export const resume = (): void => {
  sent.value = []
  const before = JSON.parse(sessionStorage.getItem(kept()) ?? "[]") as ReadonlyArray<Sent>
  for (const { key, order, at } of before) {
    const unknown: Sent = { key, order, at, state: "unknown", why: "the page was left before the answer came" }
    set(unknown)
    void settle(unknown)
  }
}
