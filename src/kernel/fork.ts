/**
 * Fibers that outlive the Effect that starts them. The one thing to know: they carry no services. Effect copies a fiber's whole context for each
 * service that is provided in it and each scope that is opened, as every SQL statement does several times; with all parts of the gateway in it
 * that is 4 kB a time.
 */
import { Context, Effect, FiberSet, Scope } from "effect"
import { Loops } from "./loop.ts"

/** Starts Effects; they are interrupted when the scope closes. Of references they have `Loops`, and the defaults of the others. */
export const makeFork = Effect.mapInputContext(FiberSet.makeRuntime<never>(), (context: Context.Context<Scope.Scope>) =>
  Context.pick(Scope.Scope, Loops)(context as Context.Context<Scope.Scope | Loops>),
)
