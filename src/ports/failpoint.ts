/** Named places where a test may kill the process (scoreboard F1). In production `hit` does nothing. */
import { Context } from "effect"

export type FailpointName =
  | "submit.parsed"
  | "submit.handedToWriter"
  /** The statement with a new order has left for the database; whether it is committed is open. */
  | "submit.written"
  | "submit.committed"
  | "submit.dispatched"
  | "submit.answered"
  | "report.received"
  | "fill.received"
  | "report.handedToWriter"
  /** The statement with an execution has left for the database. */
  | "fill.written"
  | "report.committed"
  | "report.published"
  | "cancel.accepted"
  | "cancel.dispatched"
  /** A fired trigger is stored, its order has not left. */
  | "trigger.committed"
  /** A leg of a list is let go in the database, it has not left. */
  | "list.committed"
  /** The venue confirmed the cancel of a renewal; the order that takes its place exists nowhere. */
  | "renew.confirmed"
  /** It is stored, and has not left. */
  | "renew.committed"
  | "amend.dispatched"
  /** A request is with the ledger's writer, and nowhere else. */
  | "ledger.handedToWriter"
  /** The statement with it has left for the database; whether it is committed is open. */
  | "ledger.written"
  /** It is committed and not yet reported. */
  | "ledger.committed"
  /** A quote and its reservation are on their way to the ledger. */
  | "quote.handedToLedger"
  | "quote.committed"
  /** An order has the quote; the client's funds are not held yet. */
  | "quote.taken"
  | "quote.held"
  /** Both legs are on their way to the ledger. */
  | "quote.settling"
  /** They are durable; the client's order is not filled yet. */
  | "quote.settled"
  | "disconnect.halfway"
  | "sync.halfway"
  | "reconcile.halfway"
  /** Of the platform's own venue: an order is stored with its hold, it has not met the book. */
  | "internal.held"
  /** It has met the book in memory only. */
  | "internal.matched"
  /** Its trades are stored and settled, and not yet reported. */
  | "internal.settled"
  /** A change of an order is stored, it still stands where it stood. */
  | "internal.amended"
  /** A hedge is decided and not yet stored or sent. */
  | "hedge.decided"
  /** It is stored, and its dealer has heard so. */
  | "hedge.submitted"
  /** Its dealer has heard of an execution, and has not drawn its conclusions. */
  | "hedge.filled"

export class Failpoint extends Context.Tag("ports/Failpoint")<
  Failpoint,
  { readonly hit: (name: FailpointName) => void }
>() {}
