/**
 * Which calls wait outside while the writer of orders is behind. The one thing to know: a cancel by the gateway's own id does not, since its order is there, whatever
 * waits; one by a client's id, or of all orders, might overtake the submit of what it is to end.
 */
const ORDERS = "/api/v3/tradeOrder/"
const CANCEL = `${ORDERS}cancel`

const namesItsOrder = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "tradeOrderId" in body && typeof body.tradeOrderId === "string"

/** By a route's method and path; of its body, once it is known. */
export const waitsForOrders =
  (method: string, path: string) =>
  (body: unknown): boolean =>
    method !== "GET" && path.startsWith(ORDERS) && !(path === CANCEL && namesItsOrder(body))
