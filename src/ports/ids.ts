/** Fresh identifiers as a plain function; seeded in simulation. */
import { Context } from "effect"

export class Ids extends Context.Tag("ports/Ids")<
  Ids,
  {
    /** A uuid, version 7: ordered by time, so that its index grows at one end. */
    readonly uuid: () => string
  }
>() {}
