/**
 * The base of each error of this folder: Effect's tagged error, without the check of its fields and without a stack. An error here is an answer,
 * and the compiler has checked its fields; the two took 7.9 of 9 kB and two thirds of the time of a refusal, and a storm consists of refusals.
 */
import { Schema } from "effect"

interface Constructed {
  new (props: object, options: { readonly disableValidation: true }): Error
}

/** As `Schema.TaggedError`, without annotations. */
export const Failure = ((identifier?: string) => (tag: string, fields: Schema.Struct.Fields) => {
  const Made = Schema.TaggedError<never>(identifier)(tag, fields) as unknown as Constructed
  return class extends Made {
    constructor(props: object = {}) {
      const { stackTraceLimit } = Error
      Error.stackTraceLimit = 0
      try {
        super(props, { disableValidation: true })
      } finally {
        Error.stackTraceLimit = stackTraceLimit
      }
    }
  }
}) as unknown as typeof Schema.TaggedError
