/** Which calls need a recent authentication, and the response to a call without one. */
import { ApiKeyForbidden } from "../domain/errors/api-key.ts"
import { ReauthenticationNeeded } from "../domain/errors/authentication.ts"
import type { Principal } from "../domain/user/user.ts"
import type { Route } from "./docs/reflect.ts"

export interface ProofTerms {
  /** A proof is good for so long. */
  readonly freshMillis: number
  /** Wall ms. */
  readonly now: () => number
}

/** Why the call must prove anew who asks; undefined when it need not. For calls whose shape was looked at. */
export const missingProof = (
  { freshMillis, now }: ProofTerms,
  route: Pick<Route, "needsProof">,
  principal: Principal | undefined,
  query: unknown,
  body: unknown,
): ReauthenticationNeeded | ApiKeyForbidden | undefined => {
  if (principal === undefined || route.needsProof === null) return undefined
  if (!route.needsProof({ query: query as never, body: body as never })) return undefined
  // Nothing that its holder could do gives a key a proof.
  if (principal.key !== null) return new ApiKeyForbidden({ reason: "SESSION_NEEDED" })
  if (principal.provenAt > now() - freshMillis && principal.secondFactor !== "lacking") return undefined
  const needs = principal.secondFactor === "none" ? (["password"] as const) : (["password", "totp"] as const)
  return new ReauthenticationNeeded({ maxAgeSeconds: freshMillis / 1000, needs })
}
