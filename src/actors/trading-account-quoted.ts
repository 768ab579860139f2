/**
 * What an account has to do with quotes: orders of type QUOTED, which a dealer executes (contract C8, order-path 4), and the news of its
 * quotes on its channel.
 */
import type { TellQuote } from "./account-messages.ts"
import type { AccountCore } from "./trading-account-core.ts"

/** The event and the end of its waiting are one unit. Of an account that is over nothing is told any more. */
export const tellQuote = (core: AccountCore, { news }: TellQuote): void => {
  const { eventId, at, payload } = news
  const event = { ...core.news.of("QUOTE.UPDATED", payload, at), eventId }
  const isOver = core.account.status === "DISCONNECTED"
  core.commit([{ _tag: "NewsTold", eventIds: [eventId] }], isOver ? [] : [event], () => undefined)
}
