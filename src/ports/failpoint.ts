/** Named places where a test may kill the process (scoreboard F1). In production `hit` does nothing. */
import { Context } from "effect"

export type FailpointName =
  | "submit.parsed"
  | "submit.handedToWriter"
  | "submit.committed"
  | "submit.dispatched"
  | "submit.answered"
  | "report.received"
  | "report.handedToWriter"
  | "report.committed"
  | "report.published"
  | "cancel.accepted"
  | "cancel.dispatched"
  | "disconnect.halfway"
  | "sync.halfway"
  | "reconcile.halfway"

export class Failpoint extends Context.Tag("ports/Failpoint")<
  Failpoint,
  { readonly hit: (name: FailpointName) => void }
>() {}
