/** Passes calls on to the second factor's acts. */
import { Effect } from "effect"
import type { UserActs } from "../../auth/user/user-acts.ts"
import { actorOf } from "../acting-user.ts"
import type { Handlers } from "../edge/route.ts"
import type { SecondFactorApi } from "./second-factor-endpoints.ts"

export const secondFactorHandlers = ({
  secondFactor,
}: Pick<UserActs["Type"], "secondFactor">): Handlers<typeof SecondFactorApi> => ({
  state: ({ principal }, reply) => secondFactor.state(principal).pipe(Effect.map((state) => reply.ok(state))),
  enrol: ({ principal, request }, reply) =>
    secondFactor.enrol(principal, actorOf(request, principal)).pipe(Effect.map((enrolment) => reply.ok(enrolment))),
  confirm: ({ body, principal, request }, reply) =>
    secondFactor
      .confirm(principal, body.code, actorOf(request, principal))
      .pipe(Effect.map((codes) => reply.ok(codes))),
  remove: ({ body, principal, request }, reply) =>
    secondFactor.remove(principal, body.code, actorOf(request, principal)).pipe(Effect.map(() => reply.ok("ok"))),
  renewCodes: ({ principal, request }, reply) =>
    secondFactor.renewCodes(principal, actorOf(request, principal)).pipe(Effect.map((codes) => reply.ok(codes))),
})
