/**
 * Identifies the caller: by the access token of a session, or by an API key. The one thing to know: both edges use this for each request and each
 * socket, so that nothing behind them needs to know which of the two it was.
 */
import { Context } from "effect"
import { HOW_TO_SEND_A_TOKEN, InvalidAccessToken } from "../../domain/errors/authentication.ts"
import type { Principal, SpeakerId } from "../../domain/user/user.ts"
import type { KeyFailure, LiveKeys } from "../api-key/live-keys.ts"
import { MARK } from "../api-key/secret.ts"
import type { From } from "./allowed-addresses.ts"
import type { AuthFailure } from "./live-sessions.ts"
import type { Sessions } from "./sessions.ts"
import type { Unseen } from "./unseen.ts"

export type SpeakerFailure = AuthFailure | KeyFailure

export interface VerifiedSpeaker {
  /** As it is now: another one once the user's rights have changed. */
  readonly principal: Principal
  /** Seconds since the Unix epoch; null: its speaker goes on until it is told to be over. */
  readonly expiresAt: number | null
  /** Of a key: whether it is over. Who is told of ends hears of its own time a moment late. */
  readonly isOver?: () => boolean
}

export class Speakers extends Context.Tag("auth/Speakers")<
  Speakers,
  {
    /** Of an Authorization header; synchronous. */
    readonly authenticate: (header: string, from: From) => Principal | SpeakerFailure | Unseen
    /** Of a bare token (the WebSocket's connect and refresh). */
    readonly verify: (token: string, from: From) => VerifiedSpeaker | SpeakerFailure | Unseen
    /** Whether they may still come from there. */
    readonly allows: (principal: Principal, from: From) => boolean
    /** Told of every session and key that ended, in the same turn; live sockets close by it. */
    readonly onEnded: (listener: (speaker: SpeakerId) => void) => void
    /** Told of every live one that may do something else now, or may come from somewhere else. */
    readonly onRenewed: (listener: (speaker: SpeakerId) => void) => void
  }
>() {}

const TOKEN_AT = "Bearer ".length
const isKey = (token: string): boolean => token.startsWith(MARK)

export const makeSpeakers = (
  sessions: Pick<Sessions["Type"], "authenticate" | "verify" | "allows" | "onEnded" | "onRenewed">,
  keys: LiveKeys,
): Speakers["Type"] => ({
  authenticate: (header, from) => {
    if (!header.startsWith(MARK, TOKEN_AT)) return sessions.authenticate(header, from)
    if (header.slice(0, TOKEN_AT).toLowerCase() !== "bearer ")
      return new InvalidAccessToken({ reason: HOW_TO_SEND_A_TOKEN })
    const found = keys.verify(header.slice(TOKEN_AT), from)
    return "principal" in found ? found.principal : found
  },
  verify: (token, from) => {
    if (!isKey(token)) return sessions.verify(token, from)
    const found = keys.verify(token, from)
    if (!("principal" in found)) return found
    return {
      expiresAt: null,
      isOver: () => keys.isOver(found.principal),
      get principal() {
        return found.principal
      },
    }
  },
  allows: (principal, from) =>
    principal.key === null ? sessions.allows(principal, from) : keys.allows(principal, from),
  onEnded: (listener) => {
    sessions.onEnded(listener)
    keys.onEnded(listener)
  },
  onRenewed: (listener) => {
    sessions.onRenewed(listener)
    keys.onRenewed(listener)
  },
})
