/**
 * Orders on their way: from the key press to the gateway's answer. The one thing to know: nothing here is an order. What got no answer is
 * shown as unknown and asked after by its own id, never sent again; it is remembered over a reload of the page, since it may be there.
 */
import { effect, signal } from "@preact/signals"
import { type GatewayError, type SubmitOrder, submit, type TradeOrder } from "../../../clients/typescript/src/index.ts"
import { followed } from "../live.ts"
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
/** The gateway answers within 5 s, or the request was never taken up: an id that it does not have later will not turn up. */
const SETTLED_MS = 8_000

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

/** Whoever follows the account sees it from here on: the row of the order takes the place of what was sent. */
effect(() => {
  const account = followed.value
  if (account === null) return
  const told = new Set([...account.orders, ...account.ended].map(({ tradeOrderId }) => tradeOrderId))
  const left = sent.value.filter((it) => it.state !== "stored" || !told.has(it.tradeOrderId))
  if (left.length < sent.value.length) sent.value = left
})

const asking = new Set<string>()

/** Asks until it is known whether there is such an order. */
const settle = async (unknown: Sent): Promise<void> => {
  const { key, order, at } = unknown
  if (asking.has(key)) return
  asking.add(key)
  try {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS))
      const askedAt = Date.now()
      try {
        const found = await gateway.get("tradeOrder/get", {
          tradingAccountId: order.tradingAccountId,
          clientOrderId: key,
        })
        return acknowledged(unknown, found)
      } catch (error) {
        const isAbsent = (error as GatewayError).code === "ORDER_NOT_FOUND"
        if (isAbsent && askedAt - at > SETTLED_MS) return set({ key, order, at, state: "absent" })
      }
    }
  } finally {
    asking.delete(key)
  }
}

/** Sent once. `clientOrderId` is its key, and the name that it is asked after by. */
export const send = async (order: SubmitOrder): Promise<void> => {
  const key = crypto.randomUUID()
  const at = Date.now()
  const named = { ...order, clientOrderId: key }
  set({ key, order: named, at, state: "sending" })
  const submission = await submit(gateway, named, { key, patienceMs: 0 })
  if (submission.outcome === "Refused")
    return set({ key, order: named, at, state: "refused", why: wordsOf(submission.error) })
  if (submission.outcome === "Unanswered") {
    const unknown: Sent = { key, order: named, at, state: "unknown", why: wordsOf(submission.error) }
    set(unknown)
    return settle(unknown)
  }
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
