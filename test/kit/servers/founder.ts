/** The admin of a fresh gateway: signs up with the token of its ready line, as an operator does. */
import { randomUUID } from "node:crypto"
import type { SessionRecord } from "../../../src/domain/user/user.ts"
import { type Api, api, PASSWORD, type Ready } from "./gateway.ts"

/** Good once, at a gateway that has no admin. */
export const signUpFounder = async (
  gateway: Ready,
  email = `founder-${randomUUID()}@example.com`,
): Promise<SessionRecord> => {
  const { setupToken } = gateway
  if (setupToken === undefined) throw new Error("this gateway has an admin")
  return (await api(gateway).post<SessionRecord>("/auth/signup", { email, password: PASSWORD, setupToken })).record
}

/** As `signUpFounder`; its calls. */
export const founder = async (gateway: Ready, email?: string): Promise<Api> =>
  api(gateway).as((await signUpFounder(gateway, email)).accessToken)
