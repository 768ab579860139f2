/**
 * What is not known of an order, as a tag (contract C3). One at a time, the gravest: EXECUTED, which leaves nothing else in doubt, then SUBMIT,
 * AMEND, CANCEL, UNREACHABLE. Clients see only that there is a doubt (`inDoubt`).
 */
import { isFired, type OrderDoubt, type TradeOrder } from "../trade-order.ts"

type Kind = OrderDoubt["kind"]

const GRAVITY: { readonly [K in Kind]: number } = {
  EXECUTED: 4,
  SUBMIT: 3,
  AMEND: 2,
  CANCEL: 1,
  UNREACHABLE: 0,
}

const doubtOfKind = (kind: Kind): OrderDoubt => (kind === "SUBMIT" ? { kind, notFounds: 0, knownMillis: 0 } : { kind })

/** The doubt of an order of which `kind` is not known either. */
export const graver = ({ doubt }: Pick<TradeOrder, "doubt">, kind: Kind): OrderDoubt =>
  doubt !== null && GRAVITY[doubt.kind] >= GRAVITY[kind] ? doubt : doubtOfKind(kind)

/** The same image when that doubt, or a graver one, is known already. */
export const inDoubtOf = (order: TradeOrder, kind: Kind): TradeOrder => {
  const doubt = graver(order, kind)
  return doubt === order.doubt ? order : { ...order, doubt }
}

const askedOf = (order: Pick<TradeOrder, "terms" | "cancelRequested">): "AMEND" | "CANCEL" | null =>
  order.terms !== null && order.terms.change !== null ? "AMEND" : order.cancelRequested ? "CANCEL" : null

/** What stays in doubt of an order that the venue has just shown: the outcome of what was asked of it, if that was in doubt. */
export const doubtWhenShown = (order: Pick<TradeOrder, "doubt" | "terms" | "cancelRequested">): OrderDoubt | null => {
  const { doubt } = order
  if (doubt === null || doubt.kind === "UNREACHABLE") return null
  // What shows it may be older than its end.
  if (doubt.kind === "EXECUTED") return doubt
  const kind = askedOf(order)
  return kind === null ? null : doubt.kind === kind ? doubt : doubtOfKind(kind)
}

/** What is in doubt of an order that works on although its cancel was confirmed. */
export const doubtWhenOpen = (order: Pick<TradeOrder, "terms" | "cancelRequested">): OrderDoubt | null => {
  const kind = askedOf(order)
  return kind === null ? null : doubtOfKind(kind)
}

/** No word of its submit, no trade of it, and no cancel of it that was carried out. */
export const isUnheardOf = ({ externalOrderId, executedQuantity, doubt }: TradeOrder): boolean =>
  externalOrderId === null && executedQuantity.isZero() && doubt?.kind !== "EXECUTED"

/** Its trigger fired, it was let go, and the venue has not shown it. */
export const isFiredUnshown = (order: TradeOrder): boolean =>
  isFired(order) && order.notAfter !== null && order.externalOrderId === null

/** What is not known of an order at the venue from the moment on in which the contact to the venue is lost. */
export const doubtWhenLost = (order: TradeOrder): OrderDoubt =>
  graver(order, isUnheardOf(order) ? "SUBMIT" : (askedOf(order) ?? "UNREACHABLE"))
