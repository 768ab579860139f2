/**
 * Which calls wait outside while the writer of orders is behind. The one thing to know: a cancel by the gateway's own id does not, since its order is there, whatever
 * waits; one by a client's id, or of all orders, might overtake the submit of what it is to end.
 */
const ORDERS = "/api/v3/tradeOrder/"
const CANCEL = `${ORDERS}cancel`

const namesItsOrder = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "tradeOrderId" in body && typeof body.tradeOrderId === "string"

/** Of a route, by its body; which route it is, is judged once. */
export const waitsForOrders = (method: string, path: string): ((body: unknown) => boolean) => {
  if (method === "GET" || !path.startsWith(ORDERS)) return () => false
  return path === CANCEL ? (body) => !namesItsOrder(body) : () => true
}
