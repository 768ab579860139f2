/** Hands a checked call to its route's handler. Where handlers' Effects start, and the only place where their failures become answers. */
import { Cause, Effect, Exit, Option, Runtime } from "effect"
import { ShuttingDown } from "../../domain/errors/service.ts"
import type { Route } from "../docs/reflect.ts"
import { missingProof, type ProofTerms } from "../proof.ts"
import type { Call } from "./call.ts"
import type { HandlerInput } from "./route.ts"

/** The checks have looked at query, body and principal. The handler answers, in this turn or later; or the call's deadline does. */
export type Run = (call: Call, route: Route, query: unknown, body: unknown) => undefined

export const makeRun = (runtime: Runtime.Runtime<never>, proofs: ProofTerms): Run => {
  // tidy: the edge itself: a call's Effect starts here, on the runtime that composed the handlers
  const fork = Runtime.runFork(runtime)
  return (call, route, query, body) => {
    const unproven = missingProof(proofs, route, call.principal, query, body)
    if (unproven !== undefined) {
      call.fail(unproven)
      return
    }
    call.handedOver = true
    const input = { query, body, principal: call.principal, request: call }
    const running = route.handler(input as unknown as HandlerInput<never, never>, call.reply)
    if (!Effect.isEffect(running)) return
    fork(running).addObserver((exit) => {
      if (Exit.isSuccess(exit)) return
      const failure = Cause.failureOption(exit.cause)
      if (Option.isSome(failure)) call.fail(failure.value)
      else if (Cause.isInterruptedOnly(exit.cause)) call.fail(new ShuttingDown())
      else call.defect(exit.cause)
    })
  }
}
